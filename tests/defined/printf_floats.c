// C11 7.21.6.1: the floating conversions, exact for any precision.
#include <stdio.h>
int main(void) {
    double v[] = {0.0, 1.0, -1.5, 0.1, 123456789.125, 1e-5, 1e10, 2.5, 3.5, 0.05, 1e100, 9.9999995};
    for (unsigned i = 0; i < sizeof v / sizeof *v; i++) {
        double x = v[i];
        printf("[%f][%.0f][%.1f][%.10f][%#.0f]\n", x, x, x, x, x);
        printf("[%e][%.0e][%.3E][%#.0e]\n", x, x, x, x);
        printf("[%g][%.3g][%G][%#g][%.0g]\n", x, x, x, x, x);
        printf("[%12.3f][%-12.3f][%012.3f][%+.2f][% .2f]\n", x, x, x, x, x);
        printf("[%a][%.2a][%A]\n", x, x, x);
        printf("[%Lf][%.3Lg][%Le][%La]\n", (long double)x, (long double)x, (long double)x, (long double)x);
    }
    double inf = 1e308 * 10;
    printf("[%f][%F][%e][%5g][%-6f][%06f][%+f]\n", inf, -inf, inf, inf, -inf, inf, inf);
    printf("%.60f\n", 0.1);
    printf("%.0f\n", 1e60);
    printf("%.30e\n", 5e-324);
    printf("%.20Lf %.25Le\n", 0.1L, 1e-4940L);
    printf("%.0f %.0f %.0f %.0f\n", 0.5, 1.5, 2.5, 3.5);
    printf("%.2f %.2f %.1f\n", 1.005, 1.115, 0.25);
    printf("%g %g %g %g\n", 100000.0, 1000000.0, 0.0001, 0.00001);
    printf("%f %g\n", 1.5f, 0.1f);
    printf("%*.*f|%-*.*e|\n", 10, 2, 3.14159, 14, 3, 2718.28);
    printf("%lf %le\n", 1.0, 2.0);
    return 0;
}
