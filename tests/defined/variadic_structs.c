// C11 7.16.1.1: structs as variable arguments, in registers and in memory.
#include <stdarg.h>
#include <stdio.h>
struct small {
    int a;
};
struct pair {
    int a;
    double b;
};
struct large {
    long v[5];
};
static void show(const char *kinds, ...) {
    va_list ap;
    va_start(ap, kinds);
    for (; *kinds; kinds++)
        if (*kinds == 's') {
            struct small s = va_arg(ap, struct small);
            printf("%d ", s.a);
        } else if (*kinds == 'p') {
            struct pair p = va_arg(ap, struct pair);
            printf("%d:%.1f ", p.a, p.b);
        } else {
            printf("%ld ", va_arg(ap, struct large).v[4]);
        }
    va_end(ap);
    printf("\n");
}
int main(void) {
    struct small s = {3};
    struct pair p = {7, 8.5};
    struct large l = {{1, 2, 3, 4, 5}};
    show("spl", s, p, l);
    show("ppppppppp", p, p, p, p, p, p, p, p, p);
    return 0;
}
