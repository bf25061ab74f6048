// C11 6.5.8, 6.5.9: comparisons across signedness, width and floating types.
#include <stdio.h>
int main(void) {
    int i[] = {-2147483647 - 1, -1, 0, 1, 2147483647};
    unsigned u[] = {0, 1, 2147483647u, 2147483648u, 4294967295u};
    for (int a = 0; a < 5; a++) {
        for (int b = 0; b < 5; b++)
            printf("%d%d%d%d%d%d ", i[a] < u[b], i[a] <= u[b], i[a] > u[b], i[a] >= u[b],
                   i[a] == u[b], i[a] != u[b]);
        for (int b = 0; b < 5; b++)
            printf("%d%d%d ", (long)i[a] < u[b], i[a] < i[b], u[a] < u[b]);
        printf("\n");
    }
    double zero = 0.0, nan = zero / zero, inf = 1 / zero;
    printf("%d%d%d%d%d%d\n", nan < nan, nan <= nan, nan > nan, nan >= nan, nan == nan, nan != nan);
    printf("%d%d%d%d\n", inf > 1e308, -inf < inf, inf == inf, inf == 1e308 * 10);
    printf("%d %d\n", -0.0 == 0.0, !-0.0);
    printf("%d %d\n", 0.1f == 0.1, 0.5f == 0.5);
    printf("%d\n", 1 < 2 < 3);
    printf("%d\n", 3 > 2 > 1);
    printf("%d\n", 9007199254740993L == 9007199254740993.0);
    printf("%d %d\n", !!5, !0);
    printf("%d\n", nan ? 1 : 0);
    return 0;
}
