// C11 6.5.7: shifts within their limits.
#include <stdio.h>
int main(void) {
    unsigned u = 0x80000001u;
    printf("%u %u %u\n", u << 1, u >> 31, u << 31);
    int i = -16;
    printf("%d %d %d\n", i >> 2, i >> 31, i >> 0);
    printf("%d %d\n", 1 << 30, 0x3fffffff << 1);
    long l = 1;
    printf("%ld %ld\n", l << 62, -l >> 63);
    unsigned long ul = 1;
    printf("%lu\n", ul << 63);
    unsigned char c = 0x81;
    printf("%d %d\n", c << 1, (unsigned char)(c << 1));
    c <<= 1;
    printf("%d\n", c);
    c >>= 1;
    printf("%d\n", c);
    short s = 0x4000;
    s <<= 1;
    printf("%d\n", s);
    signed char n = -128;
    printf("%d\n", n >> 7);
    unsigned long long count = 3;
    printf("%d\n", 5 << count);
    printf("%d %d\n", 0 << 31, 0 >> 31);
    printf("%d\n", 1 << 2 << 3);
    printf("%u\n", 1u << 'A' % 32);
    long long big = 0x7fffffffffffffff;
    big >>= 62;
    printf("%lld\n", big);
    return 0;
}
