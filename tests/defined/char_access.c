// C11 6.5p7: any object may be read and written through a character lvalue.
#include <stdio.h>
struct s {
    int a;
    short b, c;
};
int main(void) {
    int x = 0x01020304;
    unsigned char *p = (unsigned char *)&x;
    for (int i = 0; i < 4; i++)
        printf("%d ", p[i]);
    p[3] = 0x7f;
    *(char *)&x = -1;
    printf("%x\n", x);
    struct s s = {1, 2, 3}, t;
    const char *from = (const char *)&s;
    char *to = (char *)&t;
    for (unsigned i = 0; i < sizeof s; i++)
        to[i] = from[i];
    printf("%d %d %d\n", t.a, t.b, t.c);
    double d = -2.0;
    signed char *q = (signed char *)&d;
    printf("%d %d\n", q[7], q[6]);
    q[7] = 0x40;
    printf("%f\n", d);
    short v[3] = {-1, 256, 513};
    int sum = 0;
    for (unsigned char *c = (unsigned char *)v; c != (unsigned char *)(v + 3); c++)
        sum = sum * 3 + *c;
    printf("%d\n", sum);
    return 0;
}
