// C11 7.22.3p1: an allocated object lives until it is freed.
#include <stdlib.h>
int main(void) {
    int *p = calloc(4, sizeof *p);
    free(p);
    return p[1]; //~ dangling
}
