// C11 6.3.1.4, 6.3.1.5: conversions between floating and integer types, rounding to nearest even.
#include <stdio.h>
int main(void) {
    long l = 9007199254740993, m = -9223372036854775807L - 1;
    unsigned long u = 18446744073709551615ul;
    printf("%.0f %.0f %.0f\n", (double)l, (double)m, (double)u);
    printf("%.0f %.0f\n", (float)l, (float)u);
    printf("%.0f %.0f\n", (double)9007199254740995, (float)16777219);
    printf("%.0f %.0f\n", (float)2147483583, (float)2147483584u);
    printf("%d %d %d %d\n", (int)1.9, (int)-1.9, (int)0.5f, (int)-0.5);
    printf("%u %lu\n", (unsigned)4294967295.9, (unsigned long)1.8e19);
    printf("%d %d\n", (int)2147483647.5, (int)-2147483648.5);
    printf("%d %d\n", (signed char)-128.9, (unsigned char)255.9f);
    printf("%u %lu\n", (unsigned)-0.9, (unsigned long)-0.5f);
    printf("%ld %ld\n", (long)-9.2233720368547758e18, (long)9.2233720368547748e18);
    printf("%.17g %.17g\n", (double)0.1f, (double)(float)0.1);
    printf("%g %g\n", (float)1e-46, (float)1e39);
    printf("%.9g\n", (float)1.00000005960464477539062500001);
    int i = 3;
    i = i * 0.5 + 0.5;
    printf("%d\n", i);
    char c = 65.7;
    short s = -32768.9;
    printf("%d %d\n", c, s);
    double d = 1 / 2 + 1 / 2.0 + 1.0f / 4;
    printf("%f\n", d);
    long double ld = u;
    printf("%.0Lf %lu\n", ld, (unsigned long)ld);
    ld = 0.1;
    printf("%d %.20Lf\n", ld == 0.1L, ld);
    printf("%.17g %.9g\n", (double)0.1L, (float)(1.0L / 3));
    _Bool b = 0.3;
    printf("%d\n", b);
    return 0;
}
