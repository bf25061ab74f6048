// C11 6.3.2.1p4, 6.5.2.2: calls through pointers of the right type, in all notations.
#include <stdio.h>
#include <stdlib.h>
typedef int binary(int, int);
static int add(int a, int b) {
    return a + b;
}
static int sub(int a, int b) {
    return a - b;
}
static int mul(int a, int b) {
    return a * b;
}
static binary *table[] = {add, &sub, *mul};
static int apply(binary *f, int a, int b) {
    return f(a, b);
}
static int apply2(int f(int, int), int a) {
    return f(a, f(a, a));
}
static binary *choose(char op) {
    return op == '+' ? add : op == '-' ? sub : mul;
}
static int (*chooser(void))(int, int) {
    return sub;
}
struct object {
    int value;
    int (*method)(const struct object *, int);
};
static int scale(const struct object *o, int n) {
    return o->value * n;
}
static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}
static void sort(int *v, int n, int (*less)(const void *, const void *)) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && less(&v[j], &v[j - 1]) < 0; j--) {
            int t = v[j];
            v[j] = v[j - 1];
            v[j - 1] = t;
        }
}
int main(void) {
    for (int i = 0; i < 3; i++)
        printf("%d %d %d\n", table[i](7, 3), (*table[i])(7, 3), (***table[i])(7, 3));
    printf("%d %d\n", apply(add, 1, 2), apply2(mul, 3));
    printf("%d %d\n", choose('-')(9, 4), chooser()(9, 5));
    struct object o = {6, scale};
    printf("%d\n", o.method(&o, 7));
    int v[] = {3, 1, 2, 9, -4};
    sort(v, 5, compare);
    for (int i = 0; i < 5; i++)
        printf("%d ", v[i]);
    printf("\n");
    int (**p)(int, int) = &table[1];
    printf("%d %d\n", (*p)(1, 2), p[-1](1, 2));
    binary *f = (binary *)(void (*)(void))add;
    printf("%d %d\n", f(2, 2), f == add);
    printf("%d\n", (f == 0 ? sub : f)(5, 6));
    return 0;
}
