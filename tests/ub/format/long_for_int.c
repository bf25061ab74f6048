// C11 7.21.6.1p9: %d expects an int.
#include <stdio.h>
int main(void) {
    long x = 1;
    printf("%d\n", x); //~ format
    return 0;
}
