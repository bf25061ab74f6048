// C11 6.2.6.1p6: a struct may be copied, passed and returned while members are indeterminate.
#include <stdio.h>
struct s {
    int a, b;
    double d;
    int v[4];
};
union u {
    int i;
    long l[3];
};
static struct s pass(struct s s) {
    s.v[1]++;
    return s;
}
static struct s make(int b) {
    struct s s;
    s.b = b;
    return s;
}
int main(void) {
    struct s s, t;
    s.a = 1;
    s.v[1] = 5;
    t = s;
    printf("%d %d\n", t.a, t.v[1]);
    t = pass(s);
    printf("%d\n", t.v[1]);
    printf("%d\n", make(7).b);
    struct s a[2];
    a[0].d = 1.5;
    a[1] = a[0];
    printf("%.1f\n", a[1].d);
    struct s empty, copy = empty;
    copy.a = 3;
    printf("%d\n", copy.a);
    union u u, v;
    u.i = 4;
    v = u;
    printf("%d\n", v.i);
    struct s *p = &s, *q = &t;
    *q = *p;
    q->b = 8;
    printf("%d\n", q->b + p->a);
    return 0;
}
