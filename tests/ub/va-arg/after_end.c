// C11 7.16.1.3p2: after va_end the list must not be used.
#include <stdarg.h>
static int first(int n, ...) {
    va_list ap;
    va_start(ap, n);
    va_end(ap);
    return va_arg(ap, int); //~ va-arg
}
int main(void) {
    return first(1, 1);
}
