// C11 6.5.2.2p4, 6.8.6.4p3: structs and unions as arguments and results, by value.
#include <stdio.h>
struct small {
    char c;
};
struct mixed {
    double d;
    int i;
};
struct large {
    int v[20];
};
union u {
    long l;
    double d;
};
static struct small grow(struct small s) {
    s.c++;
    return s;
}
static struct mixed add(struct mixed a, struct mixed b) {
    a.d += b.d;
    a.i += b.i;
    return a;
}
static struct large fill(int from) {
    struct large l;
    for (int i = 0; i < 20; i++)
        l.v[i] = from + i;
    return l;
}
static int sum(struct large l) {
    int s = 0;
    while (l.v[19] > 0)
        s += l.v[19]--;
    return s;
}
static union u flip(union u u) {
    u.l = ~u.l;
    return u;
}
int main(void) {
    struct small s = {'a'};
    printf("%c %c\n", grow(grow(s)).c, s.c);
    struct mixed m = {0.5, 1};
    m = add(m, add(m, m));
    printf("%.2f %d\n", m.d, m.i);
    struct large l = fill(3);
    printf("%d %d\n", sum(l), l.v[19]);
    printf("%d\n", fill(5).v[7]);
    l = fill(sum(fill(-19)));
    printf("%d\n", l.v[0]);
    union u u = {5};
    printf("%ld\n", flip(flip(flip(u))).l);
    struct large a[2] = {fill(0), fill(100)};
    a[0] = a[1];
    printf("%d\n", a[0].v[1]);
    struct large *p = &a[0], *q = &a[0];
    *p = *q;
    printf("%d\n", (a[1] = *p).v[2]);
    int c = 1;
    printf("%d\n", (c ? a[0] : l).v[3]);
    printf("%d\n", (c, l).v[1]);
    return 0;
}
