// C11 6.5.6p8: an allocated object is an array like any other.
#include <stdlib.h>
int main(void) {
    int *p = malloc(4 * sizeof *p);
    p[4] = 1; //~ one-past
    free(p);
    return 0;
}
