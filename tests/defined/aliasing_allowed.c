// C11 6.5p7: all the lvalue types that may access an object.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct base {
    int kind;
};
struct derived {
    struct base base;
    double value;
};
union u {
    int i;
    float f;
    struct base b;
};
static int kind_of(const struct base *b) {
    return b->kind;
}
int main(void) {
    int x = -1;
    unsigned *u = (unsigned *)&x;
    printf("%u\n", *u);
    *u = 5;
    printf("%d\n", *(const volatile int *)&x);
    struct derived d = {{7}, 1.5};
    printf("%d %d\n", kind_of(&d.base), kind_of((struct base *)&d));
    printf("%.1f\n", ((struct derived *)&d.base)->value);
    printf("%d\n", *(int *)&d);
    union u v = {3};
    int *p = &v.i;
    *p = 4;
    printf("%d %d\n", v.i, ((union u *)p)->i);
    v.f = 2.0f;
    float *f = &v.f;
    *f += 1;
    printf("%.1f\n", v.f);
    v.b.kind = 9;
    printf("%d %d\n", kind_of(&v.b), v.i);
    long l = 1;
    signed long *sl = &l;
    *(unsigned long *)sl = -1UL;
    printf("%ld\n", l);
    enum e { a, b } e = b;
    printf("%u\n", *(unsigned *)&e);
    int *q = &x;
    int *const *r = &q;
    printf("%d\n", **r);
    float fl = 1.0f;
    int bits;
    memcpy(&bits, &fl, sizeof bits);
    printf("%x\n", bits);
    return 0;
}
