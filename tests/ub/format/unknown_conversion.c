// C11 7.21.6.1p9: there is no conversion specifier y.
#include <stdio.h>
int main(void) {
    printf("%y\n", 1); //~ format
    return 0;
}
