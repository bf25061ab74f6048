// C11 7.21.6.1p8: what %p prints depends on where the object is.
#include <stdio.h>
int main(void) {
    int x = 1;
    printf("%p\n", (void *)&x); //~ address
    return 0;
}
