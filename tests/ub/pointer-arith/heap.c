// C11 6.5.6p8: an allocated object has bounds.
#include <stdlib.h>
int main(void) {
    char *p = malloc(8);
    char *q = p + 9; //~ pointer-arith
    free(p);
    return q == 0;
}
