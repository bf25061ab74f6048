// C11 7.21.6.1: flags, width, precision and length of the integer conversions.
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
int main(void) {
    int v[] = {0, 1, -1, 42, -12345, INT_MAX, INT_MIN};
    for (unsigned i = 0; i < sizeof v / sizeof *v; i++) {
        int x = v[i];
        unsigned u = x;
        printf("[%d][%5d][%-5d][%05d][%+d][% d]\n", x, x, x, x, x, x);
        printf("[%.3d][%8.3d][%-8.3d][%08.3d][%+.3d][%.0d]\n", x, x, x, x, x, x);
        printf("[%u][%o][%x][%X][%#o][%#x][%#X]\n", u, u, u, u, u, u, u);
        printf("[%10x][%#10x][%-#10x][%#010x][%.5x][%#.5x][%#.0o]\n", u, u, u, u, u, u, u);
        printf("[%hhd][%hhu][%hd][%hu][%hx]\n", (signed char)x, (unsigned char)u, (short)x, (unsigned short)u, (unsigned short)u);
    }
    printf("%ld %lu %lx\n", LONG_MIN, ULONG_MAX, 0xfeedfacecafebeefUL);
    printf("%lld %llu %#llo\n", LLONG_MAX, ULLONG_MAX, 01777777777777777777777ULL);
    printf("%jd %ju %zu %zd %td\n", (intmax_t)-1, (uintmax_t)1, sizeof(int), (ssize_t)-3, (ptrdiff_t)-2);
    printf("%*d|%-*d|%*d\n", 6, 42, 6, 42, -6, 42);
    printf("%.*d|%.*d|%*.*d\n", 4, 42, -1, 42, 8, 3, 42);
    printf("%i %c%c %5c|%-3c|\n", 7, 'o', 107, 'x', 'y');
    printf("%" PRId64 " %" PRIu32 " %" PRIx8 "\n", (int64_t)-5, (uint32_t)5, (uint8_t)255);
    printf("%%|100%%\n");
    printf("%+d %+u % u\n", 5, 5u, 5u);
    printf("% +d|%-05d|\n", 5, 5);
    int n = printf("count\n");
    printf("%d\n", n);
    return 0;
}
