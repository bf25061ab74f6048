// C11 7.22.3.3p2: the object has been freed already.
#include <stdlib.h>
int main(void) {
    char *p = malloc(8);
    free(p);
    free(p); //~ bad-free
    return 0;
}
