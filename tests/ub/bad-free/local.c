// C11 7.22.3.3p2: the object was not allocated.
#include <stdlib.h>
int main(void) {
    int x = 1;
    free(&x); //~ bad-free
    return 0;
}
