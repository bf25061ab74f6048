// C11 7.24.1p2: the pointers must be valid even if there is nothing to copy.
#include <string.h>
int main(void) {
    char a[4] = {0};
    char *p = 0;
    memcpy(a, p, 0); //~ library
    return 0;
}
