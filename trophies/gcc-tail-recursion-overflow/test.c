#include <stdio.h>

int m = -64 * 16777216, out;

int power(int n)
{
    if (n <= 0)
        return 262142;
    return (int)((unsigned)(m >> 24) * (unsigned)power(n - 1));
}

__attribute__((noinline)) void test(void)
{
    /* power(4) is -33554432, power(3) is 524288 */
    out = power(4) <= power(3);
}

int main(void)
{
    test();
    printf("%d\n", out);
    return 0;
}
