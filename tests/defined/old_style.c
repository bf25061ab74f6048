// C11 6.9.1p13, 6.5.2.2p6: definitions with identifier lists and calls without a prototype.
#include <stdio.h>
static int add();
static double scale();
static int pick(c, s, f)
char c;
short s;
float f;
{
    return c + s + (int)f;
}
static int first(v, n)
int v[];
int n;
{
    return n > 0 ? v[0] : -1;
}
static int none() {
    return 5;
}
static int apply(f, x)
int (*f)();
int x;
{
    return f(x, 1);
}
int main() {
    char c = 3;
    printf("%d\n", add(1, 2));
    printf("%d\n", add(c, 'a'));
    printf("%.2f\n", scale(1.5f, 2));
    printf("%d\n", pick(1, 2, 3.9));
    int v[2] = {8, 9};
    printf("%d %d\n", first(v, 2), first(v, 0));
    printf("%d\n", none());
    printf("%d\n", apply(add, 6));
    return 0;
}
static int add(x, y)
int x, y;
{
    return x + y;
}
static double scale(d, n)
double d;
int n;
{
    return d * n;
}
