// C11 7.21.6.1p2: there are fewer arguments than the format needs.
#include <stdio.h>
int main(void) {
    printf("%d %d\n", 1); //~ format
    return 0;
}
