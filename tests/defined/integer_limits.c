// C11 5.2.4.2.1: arithmetic that just fits.
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
int main(void) {
    int max = INT_MAX, min = INT_MIN;
    printf("%d %d\n", max - 1 + 1, min + 1 - 1);
    printf("%d %d\n", max + min, min + max);
    printf("%d %d\n", -max, -(min + 1));
    printf("%d\n", 46340 * 46340);
    printf("%d\n", -46341 * 46340);
    printf("%d\n", (min + 1) * -1);
    printf("%ld\n", (long)max * max);
    printf("%ld\n", (long)min * min);
    printf("%ld\n", 3037000499L * 3037000499L);
    printf("%d\n", min / 2 * 2);
    printf("%d\n", (max >> 1 << 1) + 1);
    printf("%u\n", (unsigned)max + 1);
    printf("%u\n", (unsigned)min * 2);
    printf("%d\n", (int)((unsigned)max + max));
    printf("%ld %ld\n", LONG_MAX - 1, LONG_MIN + 1);
    printf("%d %d %d %d\n", SCHAR_MIN, UCHAR_MAX, SHRT_MIN, USHRT_MAX);
    printf("%d %d\n", INT8_MAX + 1, INT16_MIN - 1);
    for (int i = max - 2; i > 0; i = i < max ? i + 1 : 0)
        printf("%d ", i);
    printf("\n");
    for (unsigned u = UINT_MAX - 1; u != 1; u++)
        printf("%u ", u);
    printf("\n");
    short s = SHRT_MAX;
    printf("%d\n", s + s);
    s = -s - 1;
    printf("%d\n", -s);
    return 0;
}
