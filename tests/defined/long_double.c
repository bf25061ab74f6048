// The x87 extended format: 64 bits of significand, every operation rounded once.
#include <stdio.h>
struct s {
    char c;
    long double d;
};
static long double power(long double b, int n) {
    long double r = 1;
    while (n-- > 0)
        r *= b;
    return r;
}
static long double average(int n, const long double *v) {
    long double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i];
    return sum / n;
}
int main(void) {
    long double third = 1.0L / 3;
    printf("%.25Lf %.20Lg\n", third, third * 3);
    printf("%La %La\n", third, 1e100L);
    printf("%.0Lf\n", 18446744073709551615.0L);
    printf("%.0Lf\n", 18446744073709551615.0L + 1);
    printf("%.0Lf\n", 18446744073709551616.0L + 1);
    printf("%Lg %Lg\n", power(10, 4000), power(10, 4932) * 10);
    printf("%Lg %Lg\n", power(0.5L, 16445), power(0.5L, 16446));
    long double v[] = {1.5L, 2.25L, -3.125L};
    printf("%.6Lf\n", average(3, v));
    printf("%d %d %d\n", 0.1L == 0.1, (double)0.1L == 0.1, 0.1L < 0.1);
    long l = -9223372036854775807L;
    long double x = l;
    x--;
    printf("%.0Lf %ld\n", x, (long)x);
    x = 1e19L;
    unsigned long u = x;
    printf("%lu\n", u);
    x += 0.5;
    printf("%.2Lf\n", x);
    x = -x;
    printf("%.2Lf %d\n", x, x < 0);
    struct s a = {'a', 2.5L}, b = a;
    b.d /= 2;
    printf("%.3Lf %.3Lf %zu\n", a.d, b.d, sizeof a);
    long double zero = 0;
    printf("%Lf %Lf %d\n", 1 / zero, -1 / zero, zero / zero == 0);
    printf("%.18Lf\n", 1 + 1e-18L);
    int i = 2.9L;
    float f = 1.1L;
    double d = 1.1L;
    printf("%d %.9f %.17f\n", i, f, d);
    x = i ? 1 : 2.0;
    printf("%Lf %d\n", x, !x);
    return 0;
}
