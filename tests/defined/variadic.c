// C11 7.16: variable arguments of many types, va_copy, passing a va_list on.
#include <stdarg.h>
#include <stdio.h>
static int sum(int n, ...) {
    va_list ap;
    int total = 0;
    va_start(ap, n);
    while (n-- > 0)
        total += va_arg(ap, int);
    va_end(ap);
    return total;
}
static void show(const char *kinds, ...) {
    va_list ap;
    va_start(ap, kinds);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i':
            printf("%d ", va_arg(ap, int));
            break;
        case 'u':
            printf("%u ", va_arg(ap, unsigned));
            break;
        case 'l':
            printf("%ld ", va_arg(ap, long));
            break;
        case 'd':
            printf("%.2f ", va_arg(ap, double));
            break;
        case 'L':
            printf("%.2Lf ", va_arg(ap, long double));
            break;
        case 's':
            printf("%s ", va_arg(ap, const char *));
            break;
        case 'v':
            printf("%s ", (const char *)va_arg(ap, void *));
        }
    printf("\n");
    va_end(ap);
}
static int last(va_list ap, int n) {
    int x = 0;
    while (n-- > 0)
        x = va_arg(ap, int);
    return x;
}
static int both(int n, ...) {
    va_list ap, copy;
    va_start(ap, n);
    int first = va_arg(ap, int);
    va_copy(copy, ap);
    int a = last(ap, n - 1), b = va_arg(copy, int);
    va_end(copy);
    va_end(ap);
    va_start(ap, n);
    first = first * 10 + va_arg(ap, int);
    va_end(ap);
    return first * 100 + a * 10 + b;
}
int main(void) {
    printf("%d %d\n", sum(0), sum(4, 1, 2, 3, 4));
    printf("%d\n", sum(9, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    char c = 'A';
    short s = -5;
    float f = 0.5f;
    show("idi", c, f, s);
    show("lsdLiv", 123456789012L, "text", 2.25, 3.5L, 1, "void");
    show("ui", 5, 5u);
    show("dididididididididid", 1.0, 1, 2.0, 2, 3.0, 3, 4.0, 4, 5.0, 5, 6.0, 6, 7.0, 7, 8.0, 8, 9.0, 9, 10.0);
    printf("%d\n", both(4, 1, 2, 3, 4));
    printf("%d\n", sum(1, 5, 6, 7));
    return 0;
}
