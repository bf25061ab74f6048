// C11 7.21.6.1p9: %f expects a double.
#include <stdio.h>
int main(void) {
    printf("%f\n", 1); //~ format
    return 0;
}
