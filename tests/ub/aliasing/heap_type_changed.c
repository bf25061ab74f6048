// C11 6.5p6: the second store changed the effective type; the first type is gone.
#include <stdlib.h>
int main(void) {
    void *p = malloc(8);
    *(long *)p = 1;
    *(double *)p = 2.0;
    long x = *(long *)p; //~ aliasing
    free(p);
    return x != 0;
}
