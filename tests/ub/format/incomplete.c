// C11 7.21.6.1p9: the format ends within a conversion specification.
#include <stdio.h>
int main(void) {
    const char *format = "100 %";
    printf(format, 1); //~ format
    return 0;
}
