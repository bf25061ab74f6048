// C11 7.22.3.4p2: what malloc allocates has an indeterminate value.
#include <stdlib.h>
int main(void) {
    int *p = malloc(4 * sizeof *p);
    p[0] = 1;
    int x = p[3]; //~ indeterminate
    free(p);
    return x;
}
