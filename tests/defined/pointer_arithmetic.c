// C11 6.5.6p8, p9: all that stays within an array and one past it.
#include <stddef.h>
#include <stdio.h>
int main(void) {
    int a[6] = {1, 2, 3, 4, 5, 6};
    int *end = a + 6, *p = end, sum = 0;
    while (p != a)
        sum = sum * 2 + *--p;
    printf("%d\n", sum);
    printf("%d %d %d\n", (int)(end - a), a < end, end == &a[6]);
    p = a;
    p += 6;
    p -= 3;
    printf("%d %d %d %d\n", *p, p[-1], p[2], 2[p]);
    printf("%d\n", *(&a[5] - 4));
    ptrdiff_t d = &a[1] - &a[4];
    printf("%td\n", d);
    int x = 1, *q = &x + 1;
    printf("%d %d\n", (int)(q - &x), q > &x);
    char text[] = "hello", *t = text;
    while (*t)
        t++;
    printf("%d\n", (int)(t - text));
    long v[2][3] = {{1, 2, 3}, {4, 5, 6}};
    long (*row)[3] = v;
    row++;
    printf("%ld %d\n", (*row)[1], (int)(row - v));
    int *null = 0;
    printf("%d %d %d\n", null == 0, !null, null == NULL);
    unsigned char k = 2;
    short m = -1;
    printf("%d %d\n", a[k], (a + 2)[m]);
    int *r = &*p, *s = &p[0];
    printf("%d\n", r == s);
    return 0;
}
