// C11 7.1.4p1: both objects have fewer bytes than are compared.
#include <string.h>
int main(void) {
    char a[4] = "abc", b[4] = "abc";
    return memcmp(a, b, 5); //~ out-of-bounds
}
