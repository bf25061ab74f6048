// C11 6.7.2.1p10: stores keep the low bits; a signed field of n bits holds n - 1 value bits.
#include <stdio.h>
struct s {
    signed a : 3;
    unsigned b : 3;
    int c : 7;
    unsigned d : 1;
    int e : 32;
    long f : 40;
    unsigned long g : 63;
    signed char h : 5;
    unsigned short i : 9;
};
int main(void) {
    struct s s = {-4, 7, 63, 1, -5, -6, 7, -8, 300};
    printf("%d %u %d %u %d %ld %lu %d %d\n", s.a, s.b, s.c, s.d, s.e, (long)s.f, (unsigned long)s.g, s.h, s.i);
    s.a = 5;
    s.b = 12;
    s.c = -65;
    s.d = 2;
    s.f = 0x18000000001;
    s.g = -1;
    s.h = 16;
    s.i = 512 + 3;
    printf("%d %u %d %u %d %ld %lu %d %d\n", s.a, s.b, s.c, s.d, s.e, (long)s.f, (unsigned long)s.g, s.h, s.i);
    printf("%d %d\n", s.a = 7, s.b = 9);
    s.b++;
    s.a--;
    s.c += 100;
    s.c *= 3;
    printf("%d %u %d\n", s.a, s.b, s.c);
    s.b = 7;
    int old = s.b++;
    printf("%d %u\n", old, s.b);
    printf("%d\n", ++s.b);
    s.i <<= 5;
    s.i |= 1;
    s.g >>= 60;
    printf("%d %lu\n", s.i, (unsigned long)s.g);
    struct s t = s;
    t.a = 1;
    printf("%d %d\n", s.a, t.a);
    return 0;
}
