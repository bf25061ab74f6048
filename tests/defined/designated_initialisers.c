// C11 6.7.9: designators, nesting, overriding, elided braces; what is not named is zero.
#include <stdio.h>
struct in {
    int a, b, c[3];
};
struct out {
    struct in x, y[2];
    const char *name;
    union {
        int i;
        float f;
    } u;
};
static struct out g = {.y[1].c[2] = 5, .name = "g", .x = {1, 2}, .u.f = 0.5f};
static int sparse[10] = {[3] = 3, 4, [8] = 8, [1] = 1};
static int ranged[8] = {[1 ... 3] = 7, [6] = 2};
static int elided[2][2][2] = {1, 2, 3, {{4}}, };
static struct in many[] = {[2] = {.b = 4}, {5, 6, 7, 8, 9}};
static void show(const struct in *s) {
    printf("%d %d %d %d %d\n", s->a, s->b, s->c[0], s->c[1], s->c[2]);
}
int main(void) {
    show(&g.x);
    show(&g.y[0]);
    show(&g.y[1]);
    printf("%s %.1f\n", g.name, g.u.f);
    for (int i = 0; i < 10; i++)
        printf("%d ", sparse[i]);
    for (int i = 0; i < 8; i++)
        printf("%d ", ranged[i]);
    printf("\n");
    for (int i = 0; i < 8; i++)
        printf("%d ", elided[i / 4][i / 2 % 2][i % 2]);
    printf("%zu\n", sizeof many / sizeof *many);
    show(&many[2]);
    show(&many[3]);
    struct in local = {.c = {[1] = 3}, .a = 1};
    show(&local);
    struct out o = {local, .y = {{1, 2, {3, 4, 5}}, local}, .u = {.i = 9}};
    show(&o.y[0]);
    show(&o.y[1]);
    printf("%d %d\n", o.name == 0, o.u.i);
    struct in zero = {0};
    show(&zero);
    int n = 3, dyn[3] = {n, n * n, [2] = n - 1};
    printf("%d %d %d\n", dyn[0], dyn[1], dyn[2]);
    return 0;
}
