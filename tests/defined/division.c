// C11 6.5.5p6: division truncates toward zero; the remainder has the dividend's sign.
#include <limits.h>
#include <stdio.h>
int main(void) {
    int v[] = {7, -7}, w[] = {2, -2};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            printf("%d %d %d\n", v[i] / w[j], v[i] % w[j], v[i] / w[j] * w[j] + v[i] % w[j]);
    int min = INT_MIN, one = 1;
    printf("%d %d %d\n", min / one, min % 2, min / min);
    printf("%d\n", (min + 1) / -1);
    printf("%ld\n", (long)min / -1);
    printf("%u %u\n", 7u / 2, UINT_MAX % 10);
    printf("%u %d\n", -7 / 2u, -7 / (short)2);
    short s = -32768, m = -1;
    printf("%d %d\n", s / m, s % m);
    s /= m;
    printf("%d\n", s);
    unsigned char c = 250;
    c /= 7;
    c %= 4;
    printf("%d\n", c);
    long long ll = LLONG_MIN;
    printf("%lld %lld\n", ll / 10, ll % 10);
    return 0;
}
