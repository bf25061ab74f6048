// C11 6.5.6p9: two allocated objects.
#include <stdlib.h>
int main(void) {
    char *p = malloc(4), *q = malloc(4);
    long d = p - q; //~ pointer-sub
    free(p);
    free(q);
    return d != 0;
}
