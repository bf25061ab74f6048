// C11 6.5.2.4, 6.5.3.1: ++ and -- on every scalar type.
#include <stdio.h>
struct s {
    int x;
    char c;
};
int main(void) {
    signed char sc = 127;
    unsigned char uc = 0;
    short ss = -32768;
    unsigned u = 0;
    long l = -1;
    float f = 0.5f;
    double d = -1.25;
    long double ld = 1e18L;
    _Bool b = 0;
    printf("%d %d %d %u %ld\n", sc++, uc--, ss--, u--, l++);
    printf("%d %d %d %u %ld\n", sc, uc, ss, u, l);
    printf("%d %d %d %u %ld\n", --sc, ++uc, ++ss, ++u, --l);
    printf("%.1f %.2f %.0Lf\n", f++, --d, ++ld);
    printf("%.1f\n", f);
    printf("%d\n", b++);
    printf("%d\n", b++);
    printf("%d\n", b);
    printf("%d\n", b--);
    printf("%d\n", b--);
    printf("%d\n", b);
    int a[4] = {1, 2, 3, 4}, *p = a;
    printf("%d\n", *p++);
    printf("%d\n", *++p);
    printf("%d\n", ++*p);
    printf("%d\n", (*p)--);
    printf("%d\n", *p--);
    printf("%d\n", *p);
    struct s v[3] = {{1, 'a'}, {2, 'b'}, {3, 'c'}}, *q = v;
    printf("%d\n", q++->x);
    printf("%d\n", ++q->x);
    printf("%c\n", (++q)->c);
    printf("%c\n", --q->c);
    int **pp = &p;
    printf("%d\n", *(*pp)++);
    printf("%d\n", (int)(p - a));
    return 0;
}
