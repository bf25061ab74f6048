// C11 7.22.3.5p2: realloc ends the life of the old object, even where it does not move.
#include <stdlib.h>
int main(void) {
    int *p = malloc(4 * sizeof *p);
    p[0] = 1;
    int *q = realloc(p, 8 * sizeof *p);
    int r = *p; //~ dangling
    free(q);
    return r;
}
