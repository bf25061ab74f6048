// C11 6.4.4: constants of all forms, with the types that their values and suffixes give.
#include <stdio.h>
#define KIND(e) \
    _Generic((e), int: "i", unsigned: "u", long: "l", unsigned long: "ul", long long: "ll", \
        unsigned long long: "ull", float: "f", double: "d", long double: "ld", default: "?")
int main(void) {
    printf("%d %d %d %d\n", 10, 010, 0x10, 0b10);
    printf("%s %s %s %s\n", KIND(2147483647), KIND(2147483648), KIND(0x7fffffff), KIND(0x80000000));
    printf("%s %s %s\n", KIND(0xffffffff), KIND(0x100000000), KIND(037777777777));
    printf("%s %s\n", KIND(9223372036854775807), KIND(0x8000000000000000));
    printf("%s %s %s %s %s\n", KIND(1u), KIND(1l), KIND(1ul), KIND(1ll), KIND(1LLU));
    printf("%s %s %s %s\n", KIND(4294967296u), KIND(1.0), KIND(1.f), KIND(1e3L));
    printf("%s %s\n", KIND('a'), KIND(sizeof 1));
    printf("%d %d %d %d\n", 'a', '\n', '\0', '\\');
    printf("%d %d %d\n", '\x41', '\101', '\xff');
    printf("%d %d\n", '\'', '"');
    printf("%d\n", 'ab');
    printf("%f %f %f %f\n", 1., .5, 1e2, 1.5e-2);
    printf("%f %f %a\n", 0x1p4, 0x1.8p1, 0x.1p0);
    printf("%.20f\n", 0.1);
    printf("%.10f\n", 0.1f);
    printf("%.25Lf\n", 0.1L);
    printf("%g %g\n", 1.7976931348623157e308, 4.9e-324);
    printf("%u %ld\n", -1u, -2147483648);
    printf("%d\n", -2147483647 - 1);
    printf("%llu\n", 18446744073709551615ull);
    printf("%d\n", 0xabcdef + 0XABCDEF);
    return 0;
}
