// C11 7.21.6.1p7: L is for floating conversions.
#include <stdio.h>
int main(void) {
    long long x = 1;
    printf("%Ld\n", x); //~ format
    return 0;
}
