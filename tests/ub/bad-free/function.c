// C11 7.22.3.3p2: a function was not allocated.
#include <stdlib.h>
int main(void) {
    free((void *)main); //~ bad-free
    return 0;
}
