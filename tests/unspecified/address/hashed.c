// C11 6.3.2.3p6: the number depends on where the object is.
#include <stdint.h>
int main(void) {
    int x = 1;
    return (int)((uintptr_t)&x >> 4) & 7; //~ address
}
