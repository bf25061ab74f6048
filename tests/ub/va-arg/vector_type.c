// C11 7.16.1.1p2: the argument is a vector of another type.
#include <stdarg.h>
typedef int v4si __attribute__((vector_size(16)));
typedef float v4sf __attribute__((vector_size(16)));
static int first(int n, ...) {
    va_list list;
    va_start(list, n);
    v4si v = va_arg(list, v4si); //~ va-arg
    va_end(list);
    return v[0];
}
int main(void) {
    return first(1, (v4sf){1});
}
