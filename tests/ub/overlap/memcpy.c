// C11 7.24.2.1p2: memcpy between overlapping objects.
#include <string.h>
int main(void) {
    char a[8] = "abcdefg";
    memcpy(a + 1, a, 4); //~ overlap
    return 0;
}
