// C11 7.16.1.1p2: signed and unsigned may mix only where the value fits both.
#include <stdarg.h>
static int first(int n, ...) {
    va_list ap;
    va_start(ap, n);
    unsigned x = va_arg(ap, unsigned); //~ va-arg
    va_end(ap);
    return x == 0;
}
int main(void) {
    return first(1, -1);
}
