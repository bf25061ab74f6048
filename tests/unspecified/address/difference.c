// C11 6.3.2.3p6: the distance of two objects as a number.
#include <stdint.h>
static int x, y;
int main(void) {
    return (intptr_t)&x - (intptr_t)&y > 0; //~ address
}
