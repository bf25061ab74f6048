// C11 F.3p1: the sign of a NaN is not specified, and compilers fold it differently.
#include <stdio.h>
int main(void) {
    double zero = 0.0;
    printf("%f\n", zero / zero); //~ implementation-value
    return 0;
}
