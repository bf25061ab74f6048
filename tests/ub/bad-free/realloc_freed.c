// C11 7.22.3.5p3: the object has been freed already.
#include <stdlib.h>
int main(void) {
    int *p = malloc(8);
    free(p);
    p = realloc(p, 16); //~ bad-free
    return p == 0;
}
