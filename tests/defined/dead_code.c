// C11 3.4.3: only executed code counts; none of this is reached.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int never;
static int *null;
static int fall_off(int x) {
    if (x)
        return x;
}
static void bad(void) {
    int a[2], i = 1, u;
    a[5] = 1 / never;
    i = i++ + i++;
    *null = u << 40;
    free(a);
    __builtin_unreachable();
}
int main(void) {
    int zero = never, x = 2147483647;
    if (never)
        bad();
    if (never && 1 / never)
        printf("no\n");
    printf("%d\n", zero != 0 && 10 / zero > 1);
    printf("%d\n", zero == 0 || 10 / zero > 1);
    printf("%d\n", zero ? x + 1 : x);
    printf("%d\n", null ? *null : -1);
    while (never)
        x++;
    for (; never; x <<= 5)
        *null = 1;
    switch (never) {
    case 1:
        x++;
        break;
    default:
        printf("default\n");
    }
    printf("%zu %zu\n", sizeof(*null), sizeof(x / zero));
    int *p = &*null;
    printf("%d\n", p == 0);
    fall_off(0);
    printf("%d\n", fall_off(3));
    goto end;
    x++;
    memcpy(null, null, 5);
end:
    printf("%d\n", x);
    return 0;
    x++;
}
