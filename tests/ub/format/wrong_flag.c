// C11 7.21.6.1p6: the flag # is not for d.
#include <stdio.h>
int main(void) {
    printf("%#d\n", 1); //~ format
    return 0;
}
