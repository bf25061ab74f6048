// C11 7.16.1.1p2: the next argument is an int.
#include <stdarg.h>
static long first(int n, ...) {
    va_list ap;
    va_start(ap, n);
    long x = va_arg(ap, long); //~ va-arg
    va_end(ap);
    return x;
}
int main(void) {
    return first(1, 1) != 1;
}
