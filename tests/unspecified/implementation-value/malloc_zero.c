// C11 7.22.3p1: malloc(0) may or may not return a null pointer.
#include <stdlib.h>
int main(void) {
    void *p = malloc(0);
    return p == 0; //~ implementation-value
}
