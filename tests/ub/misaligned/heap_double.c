// C11 6.3.2.3p7: a double at an address that is a multiple of four only.
#include <stdlib.h>
int main(void) {
    char *p = malloc(32);
    *(double *)(p + 4) = 1.0; //~ misaligned
    free(p);
    return 0;
}
