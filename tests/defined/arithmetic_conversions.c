// C11 6.3.1.8: the usual arithmetic conversions between all arithmetic types.
#include <stdio.h>
#define KIND(e) \
    _Generic((e), int: "int", unsigned: "unsigned", long: "long", unsigned long: "ulong", \
        long long: "llong", unsigned long long: "ullong", float: "float", double: "double", \
        long double: "ldouble", default: "other")
#define ROW(a) \
    printf("%s %s %s %s %s %s %s %s %s\n", KIND((a) + c), KIND((a) + s), KIND((a) + i), \
        KIND((a) + u), KIND((a) + l), KIND((a) + ul), KIND((a) + ull), KIND((a) + f), KIND((a) + ld))
int main(void) {
    char c = -1;
    short s = -2;
    int i = -3;
    unsigned u = 4;
    long l = -5;
    unsigned long ul = 6;
    long long ll = -7;
    unsigned long long ull = 8;
    float f = 0.5f;
    double d = 0.25;
    long double ld = 0.125L;
    ROW(c);
    ROW(i);
    ROW(u);
    ROW(l);
    ROW(ul);
    ROW(ll);
    ROW(ull);
    ROW(f);
    ROW(d);
    printf("%d %d %d %d\n", i < u, l < u, i < ul, ll < ul);
    printf("%d %d %d\n", c < u, s > ull, -1 > 0u);
    printf("%u %lu %ld %llu\n", i + u, i + ul, l + u, ll + ull);
    printf("%u %lu\n", i * u, l * ul);
    printf("%u %lu\n", i / u, i / ul);
    printf("%ld %u\n", l % u, i % u);
    printf("%f %f %Lf\n", i + f, u + d, l + ld);
    printf("%f\n", f + d);
    printf("%d\n", 16777217 == 16777217.0f);
    printf("%d\n", 16777217 == 16777217.0);
    printf("%.0f\n", (float)16777217 + 0.0);
    printf("%f\n", ul + f);
    printf("%lx %lx\n", u | l, ~u & l);
    return 0;
}
