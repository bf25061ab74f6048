// C11 7.24.2.3p2: strcpy between overlapping strings.
#include <string.h>
int main(void) {
    char a[8] = "abc";
    strcpy(a + 2, a); //~ overlap
    return 0;
}
