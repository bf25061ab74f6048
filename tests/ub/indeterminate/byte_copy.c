// C11 7.24.2.1p2: memcpy copies indeterminate bytes as they are; reading the int is what fails.
#include <string.h>
int main(void) {
    int x, y;
    memcpy(&y, &x, sizeof x);
    return y; //~ indeterminate
}
