// C11 6.7.2.2: values, types and conversions of enumerations.
#include <stdio.h>
enum color { red, green = 5, blue };
enum negative { minus = -3, next };
enum flags { one = 1, two = one << 1, both = one | two };
enum big { huge = 0x7fffffff };
typedef enum { off, on } state;
static enum color rotate(enum color c) {
    return c == red ? green : c == green ? blue : red;
}
int main(void) {
    printf("%d %d %d %d %d %d\n", red, green, blue, minus, next, both);
    printf("%zu %zu %zu\n", sizeof(enum color), sizeof(enum negative), sizeof red);
    enum color c = blue;
    c = rotate(c);
    printf("%d\n", c);
    c++;
    printf("%d\n", c);
    c = 1000;
    printf("%d %d\n", c, c == 1000);
    enum negative n = -1;
    printf("%d %d\n", n < 0, n);
    state s = on;
    s = !s;
    printf("%d\n", s);
    int a[blue] = {[green] = 3};
    printf("%d %zu\n", a[green], sizeof a / sizeof *a);
    printf("%d\n", minus < red);
    printf("%d\n", (enum color)3 + 1);
    unsigned u = huge;
    printf("%u\n", u + 1);
    enum color v[2] = {green, blue}, *p = v;
    printf("%d\n", *++p - *v);
    switch (v[0]) {
    case green:
        printf("green\n");
    default:
        break;
    }
    return 0;
}
