// C11 7.16.1.1p2: a char argument was promoted to int, so that there never is a char.
#include <stdarg.h>
static int first(int n, ...) {
    va_list ap;
    va_start(ap, n);
    int x = va_arg(ap, unsigned char); //~ va-arg
    va_end(ap);
    return x;
}
int main(void) {
    unsigned char c = 1;
    return first(1, c);
}
