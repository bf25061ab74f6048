// C11 7.1.4p1: a null pointer is no string.
#include <stdio.h>
int main(void) {
    char *p = 0;
    puts(p); //~ library
    return 0;
}
