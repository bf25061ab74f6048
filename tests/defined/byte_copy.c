// C11 6.2.6.1p4, p6: representations are copied as bytes, pointers and padding included.
#include <stdio.h>
#include <string.h>
struct s {
    char c;
    int *p;
    short s;
    double d;
};
int main(void) {
    int x = 5;
    struct s a = {'a', &x, 7, 0.5}, b, c, d[2];
    memcpy(&b, &a, sizeof a);
    *b.p += 1;
    printf("%c %d %d %.2f\n", b.c, *b.p, b.s, b.d);
    memcpy((char *)&c, (const char *)&b, sizeof b);
    *c.p += 1;
    printf("%c %d %d %.2f\n", c.c, x, c.s, c.d);
    memmove(&d[1], &c, sizeof c);
    d[0] = d[1];
    printf("%d %d\n", d[0].p == &x, *d[0].p);
    return 0;
}
