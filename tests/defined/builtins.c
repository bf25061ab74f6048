// GCC manual 6.59: builtins that programs made for testing compilers use.
#include <stdio.h>
int main(void) {
    printf("%d %d %d\n", __builtin_abs(-5), __builtin_popcount(0xf0f0u), __builtin_clz(1));
    printf("%d %d\n", __builtin_ctz(8), __builtin_ffs(0));
    printf("%d %d\n", __builtin_popcountll(~0ull), __builtin_parity(7));
    printf("%d %d\n", __builtin_clzll(1), __builtin_ctzl(1ul << 40));
    printf("%x %lx\n", __builtin_bswap32(0x12345678), __builtin_bswap64(0x1234));
    int r;
    printf("%d\n", __builtin_add_overflow(2147483647, 1, &r));
    printf("%d\n", r);
    printf("%d\n", __builtin_sub_overflow(5, 7, &r));
    printf("%d\n", r);
    long l;
    printf("%d\n", __builtin_mul_overflow(1L << 40, 1L << 40, &l));
    printf("%ld\n", l);
    unsigned char c;
    printf("%d\n", __builtin_add_overflow(200, 100, &c));
    printf("%d\n", c);
    int x = 5;
    if (__builtin_expect(x == 5, 1))
        printf("expected\n");
    printf("%d\n", __builtin_constant_p(5));
    printf("%d\n", (int)__builtin_strlen("abc"));
    char b[4] = "abc";
    __builtin_memset(b, 'x', 2);
    printf("%s\n", b);
    char d[4];
    __builtin_memcpy(d, b, 4);
    printf("%d\n", __builtin_memcmp(b, d, 4));
    printf("%d\n", __builtin_types_compatible_p(int, unsigned));
    printf("%zu\n", __builtin_offsetof(struct { char c; int i; }, i));
    printf("%f\n", __builtin_inf());
    printf("%d\n", __builtin_choose_expr(1, 2, "three"));
    __extension__ long long ll = 3;
    printf("%lld\n", ll);
    return 0;
}
