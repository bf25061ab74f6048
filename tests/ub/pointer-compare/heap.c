// C11 6.5.8p5: two allocated objects.
#include <stdlib.h>
int main(void) {
    char *p = malloc(4), *q = malloc(4);
    int less = p <= q; //~ pointer-compare
    free(p);
    free(q);
    return less;
}
