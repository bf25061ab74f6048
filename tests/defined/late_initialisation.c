// C11 6.2.4p6: objects without initialisers, given a value before they are read.
#include <stdio.h>
#include <string.h>
struct s {
    int a, b;
    char name[8];
};
static void set(int *p, int v) {
    *p = v;
}
static void fill(struct s *s) {
    s->a = 1;
    s->b = 2;
    strcpy(s->name, "filled");
}
int main(void) {
    int x, y, a[5], i;
    set(&x, 3);
    printf("%d\n", x);
    (void)y;
    for (i = 0; i < 5; i++)
        a[i] = i * i;
    printf("%d\n", a[4]);
    struct s s, t, u;
    fill(&s);
    t = s;
    printf("%d %d %s\n", t.a, t.b, t.name);
    u.a = 5;
    t = u;
    printf("%d\n", t.a);
    u.b = t.a + 1;
    t = u;
    printf("%d\n", t.b);
    if (i == 5)
        y = 1;
    else
        y = 2;
    printf("%d\n", y);
    int *p;
    p = &y;
    *p += 1;
    printf("%d\n", y);
    memset(&u, 0, sizeof u);
    printf("%d %d\n", u.b, u.name[7]);
    unsigned char *bytes = (unsigned char *)&x;
    int z;
    memcpy(&z, bytes, sizeof z);
    printf("%d\n", z);
    for (int k = 0; k < 2; k++) {
        int w;
        w = k;
        printf("%d ", w);
    }
    printf("%d\n", (x = 1, y = 2, x + y));
    goto skip;
    {
        int q;
    skip:
        q = 7;
        printf("%d\n", q);
    }
    return 0;
}
