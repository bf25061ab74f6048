// C11 7.24.2.3p2: the target has no room for the string.
#include <string.h>
int main(void) {
    char a[4];
    strcpy(a, "abcd"); //~ out-of-bounds
    return 0;
}
