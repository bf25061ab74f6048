// C11 6.5.6p8: the int at index 1 lies only half in the six bytes.
#include <stdlib.h>
int main(void) {
    int *p = malloc(6);
    p[1] = 1; //~ out-of-bounds
    free(p);
    return 0;
}
