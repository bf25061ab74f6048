// C11 7.22.3.5p2: bytes beyond the old size have indeterminate values.
#include <stdlib.h>
int main(void) {
    int *p = calloc(2, sizeof *p);
    p = realloc(p, 4 * sizeof *p);
    int x = p[1];
    x += p[2]; //~ indeterminate
    free(p);
    return x;
}
