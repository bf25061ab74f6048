// C11 6.5.8p5, 6.5.9p6: comparisons that have an answer.
#include <stdio.h>
#include <stdlib.h>
struct s {
    int a, b;
    char v[4];
};
static int f(void) {
    return 1;
}
static int g(void) {
    return 1;
}
int main(void) {
    struct s s = {1, 2, "abc"};
    printf("%d\n", (void *)&s.a < (void *)&s.b);
    printf("%d\n", (char *)&s.b < s.v);
    printf("%d\n", &s.v[1] >= &s.v[1]);
    printf("%d\n", (void *)&s == (void *)&s.a);
    int x = 1, y = 1;
    printf("%d %d\n", &x == &y, &x != &y);
    int *p = malloc(sizeof *p), *q = malloc(sizeof *q);
    printf("%d %d\n", p == q, p == 0);
    free(p);
    free(q);
    printf("%d %d %d\n", f == g, f != g, f == f);
    int (*h)(void) = f;
    printf("%d %d\n", h == f, h != 0);
    int v[2][2];
    printf("%d %d\n", &v[0][1] < &v[1][0], v[1] == &v[1][0]);
    const char *t = "abc", *u = t;
    printf("%d %d\n", t == u, t + 1 > u);
    return 0;
}
