// C11 7.21.6.1p9: %Lf expects a long double.
#include <stdio.h>
int main(void) {
    double d = 1.0;
    printf("%Lf\n", d); //~ format
    return 0;
}
