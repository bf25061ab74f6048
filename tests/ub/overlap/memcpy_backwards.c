// C11 7.24.2.1p2: the direction does not matter.
#include <string.h>
int main(void) {
    int a[4] = {1, 2, 3, 4};
    memcpy(a, a + 1, 3 * sizeof *a); //~ overlap
    return 0;
}
