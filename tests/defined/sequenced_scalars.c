// C11 6.5p2, p3: near misses of unsequenced side effects, all defined.
#include <stdio.h>
struct node {
    int value;
    struct node *next;
};
static int twice(int x) {
    return 2 * x;
}
int main(void) {
    int i = 1, j = 2, a[4] = {0};
    i = i + 1;
    printf("%d\n", i);
    i = (i++, i);
    printf("%d\n", i);
    i = (i = 5, i + 1);
    printf("%d\n", i);
    printf("%d\n", i++ && i == 7);
    printf("%d\n", i-- > 7 || i == 6);
    printf("%d\n", i++ ? i : -i);
    a[i - 7] = i;
    a[i - 6] = j = i;
    printf("%d %d %d\n", a[0], a[1], j);
    i = twice(i++);
    printf("%d\n", i);
    i = -i;
    i += i;
    i -= i * i;
    printf("%d\n", i);
    j = i = 3;
    int k = j++ + i++;
    printf("%d %d %d\n", i, j, k);
    k = i++, j++;
    printf("%d %d %d\n", i, j, k);
    int *p = a;
    *p++ = 1, *p++ = 2;
    *p = *(p - 1) + 1;
    printf("%d %d %d %d\n", a[0], a[1], a[2], (int)(p - a));
    p = a;
    int *q = a + 2;
    *p++ = *q++;
    printf("%d %d %d\n", a[0], (int)(p - a), (int)(q - a));
    struct node third = {3, 0}, second = {2, &third}, first = {1, &second};
    int sum = 0;
    for (struct node *n = &first; n; n = n->next)
        sum += n->value;
    printf("%d\n", sum);
    int b[3] = {2, 0, 1};
    i = 0;
    i = b[i];
    i = b[i];
    printf("%d\n", i);
    return 0;
}
