// C11 6.5.15p5, p6: the type of ?: comes from both operands, whichever is chosen.
#include <stdio.h>
struct s {
    int x;
};
int main(void) {
    int t = 1, f = 0;
    printf("%zu %zu\n", sizeof(t ? 1 : 1L), sizeof(t ? (char)1 : (short)1));
    printf("%d\n", (t ? -1 : 1u) > 0);
    printf("%.1f\n", (t ? 1 : 2.5) / 2);
    printf("%ld\n", t ? -1 : 1L);
    printf("%lu\n", (t ? -1 : 1UL) / 2);
    int a = 5, *p = t ? &a : 0;
    printf("%d\n", *p);
    void *v = &a;
    int *q = f ? v : &a;
    printf("%d\n", *q);
    const int *c = t ? &a : (const int *)0;
    printf("%d\n", *c);
    *(f ? p : q) = 6;
    printf("%d\n", a);
    struct s x = {1}, y = {2};
    printf("%d\n", (t ? x : y).x);
    printf("%s\n", f ? "yes" : "no");
    printf("%d\n", t ? f ? 1 : 2 : 3);
    printf("%d\n", f ? 1 : t ? 2 : 3);
    int n = 0;
    t ? n++ : (n += 10);
    f ? n++ : (n += 10);
    printf("%d\n", n);
    printf("%d %d\n", n ?: 5, f ?: 7);
    printf("%d\n", n++ ?: -1);
    printf("%d\n", n);
    t ? (void)n : (void)0;
    int big = t ? 'a' : 0x7fffffff;
    printf("%d\n", big);
    printf("%d\n", (t ? a : n, 3));
    char ch = -1;
    printf("%d\n", t ? ch : 0u ? 1 : 2);
    return 0;
}
