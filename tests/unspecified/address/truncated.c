// C11 6.3.2.3p6: the low bits of an address, after a narrowing conversion.
#include <stdlib.h>
int main(void) {
    char *p = malloc(1);
    unsigned char low = (unsigned char)((unsigned long)p >> 4) ^ 5; //~ address
    free(p);
    return low;
}
