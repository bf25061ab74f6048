// C11 6.3.2.3p6: which way the branch goes depends on where the object is.
#include <stdint.h>
static int x;
int main(void) {
    if ((uintptr_t)&x % 64 == 0) //~ address
        return 1;
    return 0;
}
