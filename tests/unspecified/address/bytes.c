// C11 6.2.6.1p4: a byte of a pointer's representation.
#include <stdio.h>
int main(void) {
    int x = 1;
    int *p = &x;
    printf("%d\n", *(unsigned char *)&p); //~ address
    return 0;
}
