// C11 7.21.6.1p9: %ld expects a long.
#include <stdio.h>
int main(void) {
    int x = 1;
    printf("%ld\n", x); //~ format
    return 0;
}
