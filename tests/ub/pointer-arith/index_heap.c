// C11 7.22.3p1: an allocated object has the size that was asked for.
#include <stdlib.h>
int main(void) {
    char *p = malloc(10);
    p[20] = 1; //~ pointer-arith
    free(p);
    return 0;
}
