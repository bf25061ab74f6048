// C11 7.21.6.1p9: %x expects an unsigned int.
#include <stdio.h>
int main(void) {
    int x = 1;
    printf("%x\n", &x); //~ format
    return 0;
}
