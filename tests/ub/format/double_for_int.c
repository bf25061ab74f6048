// C11 7.21.6.1p9: %d expects an int.
#include <stdio.h>
int main(void) {
    printf("%d\n", 1.0); //~ format
    return 0;
}
