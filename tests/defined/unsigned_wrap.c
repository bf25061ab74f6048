// C11 6.2.5p9: unsigned arithmetic is modulo a power of two.
#include <limits.h>
#include <stdio.h>
int main(void) {
    unsigned x = UINT_MAX, zero = 0;
    printf("%u %u %u %u\n", x + 1, zero - 1, x * x, -x);
    x++;
    --zero;
    printf("%u %u\n", x, zero);
    unsigned long l = ULONG_MAX;
    printf("%lu %lu %lu\n", l + 2, l * 3, -l);
    unsigned char c = 255;
    c++;
    printf("%d\n", c);
    c -= 1;
    c += 2;
    printf("%d\n", c);
    unsigned short s = 0;
    s--;
    printf("%d %d\n", s, (unsigned short)(s * 2u));
    unsigned k = 5;
    for (int i = 0; i < 40; i++)
        k = k * 1664525u + 1013904223u;
    printf("%u\n", k);
    printf("%u %u\n", ~0u, ~0u / 3);
    printf("%u\n", 3u - 5u);
    printf("%llu\n", 0ull - 1);
    return 0;
}
