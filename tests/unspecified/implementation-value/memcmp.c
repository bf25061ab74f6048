// C11 7.24.4.1p3: only the sign of memcmp's value is specified.
#include <stdio.h>
#include <string.h>
int main(void) {
    char a[] = "abd", b[] = "abb";
    printf("%d\n", memcmp(a, b, 3)); //~ implementation-value
    return 0;
}
