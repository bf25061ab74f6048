// C11 7.22.6.1p2: the absolute value does not fit long.
#include <stdlib.h>
int main(void) {
    long x = -9223372036854775807L - 1;
    return labs(x) < 0; //~ library
}
