// C11 6.8.5: all loops, with break and continue; each iteration has its own objects.
#include <stdio.h>
int main(void) {
    int n = 0, sum = 0;
    while (n < 10) {
        n++;
        if (n % 2)
            continue;
        if (n > 8)
            break;
        sum += n;
    }
    printf("%d %d\n", n, sum);
    do {
        n--;
        if (n == 7)
            continue;
        sum -= n;
    } while (n > 5);
    printf("%d %d\n", n, sum);
    for (int i = 0, j = 10; i < j; i++, j--)
        sum += i * j;
    printf("%d\n", sum);
    int i = 5;
    for (int i = 0; i < 3; i++) {
        int i = 100;
        sum += i++;
    }
    printf("%d %d\n", i, sum);
    for (;;) {
        if (++i > 8)
            break;
    }
    printf("%d\n", i);
    do
        i = 0;
    while (0);
    for (unsigned char c = 250; c >= 250; c++)
        i++;
    printf("%d\n", i);
    int count = 0;
    for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++)
            for (int c = b; c < 4; c++) {
                if (a + b == c)
                    break;
                count++;
            }
    printf("%d\n", count);
    for (double x = 0; x < 1; x += 0.25)
        printf("%.2f ", x);
    printf("\n");
    while (i-- > 0)
        ;
    printf("%d\n", i);
    return 0;
}
