// C11 F.3: float and double are IEC 60559 single and double, rounded after every operation.
#include <stdio.h>
int main(void) {
    float f = 1.0f / 3.0f;
    double d = 1.0 / 3.0;
    printf("%.17g %.9g\n", d, f);
    printf("%.17g %.17g\n", f * 3.0f, d * 3.0);
    printf("%.17g\n", 0.1 + 0.2);
    printf("%.9g\n", 0.1f + 0.2f);
    printf("%.17g\n", 0.1f + 0.2);
    float big = 16777216.0f;
    printf("%.1f %.1f\n", big + 1.0f, big + 2.0f);
    printf("%.1f\n", (big + 1.0f) - big);
    double huge = 1e308;
    printf("%f %f\n", huge * 10, -huge * 10);
    double tiny = 4.9406564584124654e-324;
    printf("%g %g %g\n", tiny, tiny / 2, tiny * 0.75);
    float small = 1.17549435e-38f;
    printf("%g %g\n", small / 2, small / 16777216.0f);
    double zero = 0.0;
    printf("%f %f %f\n", 1 / zero, -1 / zero, 1 / -(1 / zero));
    printf("%d\n", zero / zero == zero / zero);
    printf("%.17g\n", 1e16 + 1.0 - 1e16);
    float sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += 0.1f;
    printf("%.9g\n", sum);
    double x = 2;
    for (int i = 0; i < 6; i++)
        x = (x + 2 / x) / 2;
    printf("%.17g\n", x);
    printf("%.17g %.17g\n", 5e-324 + 5e-324, 1.7976931348623157e308 + 1e291);
    f = 3.4028235e38f;
    printf("%g %g\n", f * 2, f * 2.0);
    printf("%f %f\n", -0.0, 0.0 * -1);
    printf("%d %d\n", f > d, -f < d);
    return 0;
}
