// C11 6.2.1: shadowing, tags and labels in their own name spaces, block-scope declarations.
#include <stdio.h>
static int x = 1;
struct x {
    int x;
};
enum { E = 1 };
static int f(int x) {
    {
        int x = 5;
        x++;
        printf("%d ", x);
    }
    return x;
}
static int g(void) {
    int x = 2;
    {
        extern int printf(const char *, ...);
        struct x {
            char c[10];
        };
        struct x s = {"inner"};
        printf("%s %zu %d\n", s.c, sizeof(struct x), x);
    }
    struct x x2 = {x};
    goto x;
x:
    return x2.x;
}
typedef int T;
static int h(T T) {
    return T + 1;
}
int main(void) {
    printf("%d\n", f(3));
    printf("%d %d\n", g(), x);
    printf("%d\n", h(4));
    enum { E = 7 };
    printf("%d\n", E);
    for (int x = 0; x < 1; x++) {
        int x = 9;
        printf("%d\n", x);
    }
    if (x) {
        long x = 20;
        printf("%ld\n", x);
    }
    int y = sizeof(int[3]), z = y;
    {
        int y = z + 1;
        z = y;
    }
    printf("%d %d\n", y, z);
    T t = 3;
    {
        typedef char T[4];
        (void)sizeof(T);
    }
    printf("%d\n", t);
    return 0;
}
