// C11 7.16.1.1p2: the next argument is a double.
#include <stdarg.h>
static int first(int n, ...) {
    va_list ap;
    va_start(ap, n);
    int x = va_arg(ap, int); //~ va-arg
    va_end(ap);
    return x;
}
int main(void) {
    return first(1, 1.0);
}
