// C11 7.24.1p2: the pointer must be valid even if there is nothing to set.
#include <string.h>
int main(void) {
    char *p = 0;
    memset(p, 0, 0); //~ library
    return 0;
}
