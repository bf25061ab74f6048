// C11 7.1.4p1: a null pointer is no string.
#include <string.h>
int main(void) {
    const char *p = 0;
    return (int)strlen(p); //~ library
}
