// GCC manual 6.9: __int128 in arithmetic, conversions and comparisons.
#include <stdio.h>
typedef unsigned __int128 u128;
typedef __int128 i128;
static void show(u128 x) {
    printf("%016lx%016lx\n", (unsigned long)(x >> 64), (unsigned long)x);
}
int main(void) {
    u128 x = 0xfedcba9876543210UL;
    show(x * x);
    show(x << 64 | x);
    show((x << 70) / 1000000007);
    show((x << 64) % 1000000007);
    show(-x);
    show(~(u128)0 >> 1);
    i128 y = -5;
    show(y);
    show(y / 2);
    show(y % 3);
    show(y >> 1);
    printf("%d %d %d\n", y < 0, y < (i128)x, (u128)y > x);
    i128 max = (i128)(~(u128)0 >> 1);
    printf("%d\n", max > 0);
    long l = (long)(y * 1000000000000L * 1000000000000L / 1000000000000L);
    printf("%ld\n", l);
    double d = (double)((u128)1 << 100);
    printf("%.0f\n", d);
    show((u128)1e30);
    show((i128)-1e20);
    unsigned char c = x * 3;
    printf("%d\n", c);
    y++;
    y += 10;
    y *= y;
    printf("%d %zu\n", (int)y, sizeof y);
    u128 f = 1;
    for (int i = 2; i <= 30; i++)
        f *= i;
    show(f);
    return 0;
}
