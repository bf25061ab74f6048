// C11 7.16.1.1p2: only void and character pointers may stand for each other.
#include <stdarg.h>
static int first(int n, ...) {
    va_list ap;
    va_start(ap, n);
    long *p = va_arg(ap, long *); //~ va-arg
    va_end(ap);
    return p == 0;
}
int main(void) {
    int x = 1;
    return first(1, &x);
}
