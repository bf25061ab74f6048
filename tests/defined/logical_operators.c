// C11 6.5.13, 6.5.14, 6.5.3.3: short circuits, values 0 and 1, operands of every scalar type.
#include <stdio.h>
static int calls;
static int yes(void) {
    calls++;
    return 5;
}
static int no(void) {
    calls++;
    return 0;
}
int main(void) {
    printf("%d\n", yes() && no());
    printf("%d\n", no() && yes());
    printf("%d\n", yes() || no());
    printf("%d\n", no() || yes());
    printf("%d\n", calls);
    printf("%d %d %d\n", 2 && 3, 0 || 4, !7);
    double d = 0.5;
    int *p = 0, x = 0;
    printf("%d %d %d\n", d && 1, p || 0, !p && !x);
    printf("%d\n", p && *p);
    printf("%d\n", 1 || 0 && 0);
    printf("%d\n", (1 || 0) && 0);
    int i = 0;
    i++ || i++ || i++;
    printf("%d\n", i);
    i = 0;
    i++ && i++ && i++;
    printf("%d\n", i);
    i && (i = 10);
    printf("%d\n", i);
    x || (x = 3, i--);
    printf("%d %d\n", x, i);
    printf("%zu\n", sizeof(1.0 && 1.0L));
    printf("%d\n", !!-0.0 + !0.0f);
    printf("%d %d %d\n", 6 & 3, 6 | 3, 6 ^ 3);
    printf("%d %d\n", ~5, -~5);
    printf("%d\n", 1 | 2 ^ 3 & 4);
    if (i == 9 && x == 3 || yes())
        printf("%d\n", calls);
    return 0;
}
