// Operators on GCC's vectors work lane by lane, in the lane's type: nothing is promoted.
#include <stdio.h>

typedef int v4si __attribute__((vector_size(16)));
typedef unsigned v4su __attribute__((vector_size(16)));
typedef signed char v16qi __attribute__((vector_size(16)));
typedef unsigned char v8qu __attribute__((vector_size(8)));
typedef short v8hi __attribute__((vector_size(16)));
typedef unsigned short v4hu __attribute__((vector_size(8)));
typedef long v4di __attribute__((vector_size(32)));
typedef float v4sf __attribute__((vector_size(16)));
typedef double v2df __attribute__((vector_size(16)));
typedef __int128 v1ti __attribute__((vector_size(16)));
typedef int v1si __attribute__((vector_size(4)));

#define SHOW(...) \
    do { \
        __typeof__(__VA_ARGS__) shown = (__VA_ARGS__); \
        printf("%s:", #__VA_ARGS__); \
        for (unsigned i = 0; i < sizeof shown / sizeof shown[0]; i++) \
            printf(" %ld", (long)shown[i]); \
        printf("\n"); \
    } while (0)

#define SHOW_FLOAT(...) \
    do { \
        __typeof__(__VA_ARGS__) shown = (__VA_ARGS__); \
        printf("%s:", #__VA_ARGS__); \
        for (unsigned i = 0; i < sizeof shown / sizeof shown[0]; i++) \
            printf(" %g", (double)shown[i]); \
        printf("\n"); \
    } while (0)

int main(void) {
    v4si a = {7, -8, 2147483645, 0}, b = {2, 3, -1, 5};
    SHOW(a - b * 2 + (v4si){0, 0, 0, 1});
    SHOW(a / b);
    SHOW(a % b);
    SHOW(-b);
    SHOW(~a);
    SHOW(+a);
    SHOW(a & b);
    SHOW(a | b);
    SHOW(a ^ b);
    SHOW(a >> 1);
    SHOW(a >> (v4si){0, 1, 30, 31});
    SHOW((a & 255) << (v4su){3, 2, 1, 0});
    SHOW(1 << (v4si){0, 1, 2, 30});
    SHOW(1000 - b);
    SHOW(a < b);
    SHOW(a <= b);
    SHOW(a > b);
    SHOW(a >= b);
    SHOW(a == b);
    SHOW(a != b);
    SHOW((a > b) & a);

    v4su u = {4294967295u, 0, 1, 2147483648u};
    SHOW(u + 1u);
    SHOW(u - 1u);
    SHOW(u * u);
    SHOW(u / 3u);
    SHOW(u % 10u);
    SHOW(u > 5u);
    SHOW(-u);
    SHOW(u << 1);

    v16qi c = {127, -128, 1, -1, 100, 27};
    SHOW(c - (v16qi){1, -1});
    SHOW(c >> 3);
    SHOW(c / (signed char)3);
    SHOW(c % (signed char)7);
    SHOW((c & 15) * (signed char)8);
    SHOW(c == 1);
    SHOW((c & 3) << 5);

    v8qu q = {255, 254, 1, 0, 128, 127, 200, 3};
    SHOW(q + q);
    SHOW(q * q);
    SHOW(q - (unsigned char)2);
    SHOW(~q);
    SHOW(-q);
    SHOW(q << 4);
    SHOW(q >> 4);
    SHOW(q > (unsigned char)127);

    v8hi h = {32767, -32768, 181, -181, 0, 1, 2, 3};
    SHOW(h / 2 + h / (short)-2);
    SHOW((h & 127) * (h & 127));
    v4hu g = {65535, 256, 40000, 3};
    SHOW(g * g);
    SHOW(g / (unsigned short)7);

    v4di l = {9223372036854775807, -9223372036854775807 - 1, 5, -5};
    SHOW(l / 2);
    SHOW(l % 1000L);
    SHOW(l >> 60);
    SHOW(l < 0L);

    v4sf f = {1.5f, -2.25f, 1e30f, 0};
    SHOW_FLOAT(f + 1.0f);
    SHOW_FLOAT(f * f);
    SHOW_FLOAT(f / 2);
    SHOW_FLOAT(-f);
    SHOW(f < 0.0f);
    SHOW(f == f);
    v2df d = {0.1, -0.0};
    SHOW_FLOAT(d + d * 3);
    SHOW_FLOAT(1 / d);
    SHOW(d >= 0.0);

    v1ti t = {(__int128)1 << 100};
    t = t * 8 - 1;
    printf("%d\n", (int)(t[0] >> 98));
    SHOW((v1ti)(t == t));
    v1si one = {41};
    one += 1;
    SHOW(one * one);
    return 0;
}
