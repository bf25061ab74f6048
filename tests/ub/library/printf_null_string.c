// C11 7.1.4p1: a null pointer is no string, though some libraries print "(null)".
#include <stdio.h>
int main(void) {
    char *p = 0;
    printf("<%s>\n", p); //~ library
    return 0;
}
