// C11 7.1.4p1: the source has fewer bytes than are copied.
#include <string.h>
int main(void) {
    char a[8], b[4] = "abc";
    memcpy(a, b, 8); //~ out-of-bounds
    return 0;
}
