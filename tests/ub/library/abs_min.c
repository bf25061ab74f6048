// C11 7.22.6.1p2: the absolute value does not fit int.
#include <stdlib.h>
int main(void) {
    int x = -2147483647 - 1;
    return abs(x); //~ library
}
