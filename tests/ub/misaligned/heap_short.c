// C11 6.3.2.3p7: a short at an odd address.
#include <stdlib.h>
int main(void) {
    unsigned char *p = calloc(16, 1);
    short s = *(short *)(p + 3); //~ misaligned
    free(p);
    return s;
}
