// C11 6.5.16.1p3, 7.24.2.2: exact overlap is fine, and memmove takes any.
#include <stdio.h>
#include <string.h>
struct pair {
    int a, b;
};
union u {
    struct pair p;
    struct pair q;
    int v[2];
};
int main(void) {
    union u u = {{1, 2}};
    u.q = u.p;
    u.p = u.p;
    printf("%d %d\n", u.q.a, u.v[1]);
    u.v[0] = u.v[1];
    printf("%d\n", u.p.a);
    struct pair v[3] = {{1, 2}, {3, 4}, {5, 6}}, *p = v, *q = v;
    *p = *q;
    v[0] = v[1];
    memmove(v + 1, v, 2 * sizeof *v);
    printf("%d %d %d\n", v[0].a, v[1].a, v[2].b);
    char text[16] = "0123456789";
    memmove(text + 3, text, 5);
    memcpy(text, text + 5, 5);
    printf("%s\n", text);
    int x = 5;
    x = x;
    memmove(&x, &x, sizeof x);
    printf("%d\n", x);
    int t = u.v[0];
    u.p.b = t;
    printf("%d\n", u.v[1]);
    return 0;
}
