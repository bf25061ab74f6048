// C11 7.16.1.1p2: the next argument is another struct.
#include <stdarg.h>
struct a {
    int x;
};
struct b {
    int x;
};
static int first(int n, ...) {
    va_list ap;
    va_start(ap, n);
    int x = va_arg(ap, struct b).x; //~ va-arg
    va_end(ap);
    return x;
}
int main(void) {
    struct a a = {1};
    return first(1, a);
}
