// C11 7.22.3.3p2: the pointer is not the one that malloc returned.
#include <stdlib.h>
int main(void) {
    char *p = malloc(8);
    free(p + 1); //~ bad-free
    return 0;
}
