// C11 7.21.6.1p5: the argument for * is an int.
#include <stdio.h>
int main(void) {
    long width = 5;
    printf("%*d\n", width, 1); //~ format
    return 0;
}
