// C11 6.5.2.2p11: recursion, direct and mutual; each call has its own objects.
#include <stdio.h>
static int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static int even(unsigned n);
static int odd(unsigned n) {
    return n == 0 ? 0 : even(n - 1);
}
static int even(unsigned n) {
    return n == 0 ? 1 : odd(n - 1);
}
static int ackermann(int m, int n) {
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}
static void hanoi(int n, int from, int to, int *moves) {
    if (n == 0)
        return;
    hanoi(n - 1, from, 6 - from - to, moves);
    ++*moves;
    hanoi(n - 1, 6 - from - to, to, moves);
}
static int chain(int n, int *outer) {
    int mine = n;
    if (n == 0)
        return *outer;
    return chain(n - 1, &mine) + mine + *outer;
}
static void reverse(const char *s) {
    if (*s) {
        reverse(s + 1);
        putchar(*s);
    }
}
static unsigned depth(unsigned n) {
    return n ? 1 + depth(n - 1) : 0;
}
int main(void) {
    int moves = 0, start = 100;
    hanoi(6, 1, 3, &moves);
    printf("%d %d %d %d\n", fib(15), even(10), odd(10), ackermann(2, 3));
    printf("%d %d\n", moves, chain(4, &start));
    reverse("desrever\n");
    printf("\n%u\n", depth(5000));
    return 0;
}
