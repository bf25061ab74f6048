// C11 6.5.2.2p10: arguments are evaluated before the call; results feed other calls.
#include <stdio.h>
struct stack {
    int v[16], n;
};
static struct stack *push(struct stack *s, int x) {
    s->v[s->n++] = x;
    return s;
}
static int pop(struct stack *s) {
    return s->v[--s->n];
}
static int max(int a, int b) {
    return a > b ? a : b;
}
static int gcd(int a, int b) {
    return b ? gcd(b, a % b) : a;
}
static int clamp(int x, int lo, int hi) {
    return x < lo ? lo : x > hi ? hi : x;
}
static int many(int a, char b, long c, short d, float e, double f, long double g, unsigned char h, int *i, struct stack j) {
    return a + b + (int)c + d + (int)e + (int)f + (int)g + h + *i + j.v[0];
}
int main(void) {
    struct stack s = {{0}, 0};
    push(push(push(&s, 1), 2), 3);
    int a = pop(&s), b = pop(&s);
    printf("%d %d %d\n", a, b, s.n);
    printf("%d\n", max(max(1, 5), max(3, max(4, 2))));
    printf("%d\n", gcd(gcd(84, 36), gcd(48, 180)));
    printf("%d %d %d\n", clamp(5, 1, 3), clamp(-5, -3, 3), clamp(2, 1, 3));
    int i = 9;
    printf("%d\n", many(1, 2, 3, 4, 5.5f, 6.5, 7.5L, 8, &i, s));
    printf("%d\n", many(1.9, 258, 3.9f, 65540, 5, 6, 7, 264, &i, *push(&s, 10)));
    return printf("%s", "") + max(-1, 0);
}
