// C11 7.20.1.4p1: a pointer converted to uintptr_t and back is that pointer.
#include <stdint.h>
#include <stdio.h>
int main(void) {
    int a[3] = {1, 2, 3};
    int *p = &a[1];
    uintptr_t n = (uintptr_t)(void *)p;
    int *q = (void *)n;
    printf("%d %d\n", q == p, q[1]);
    intptr_t m = (intptr_t)(void *)0;
    printf("%d\n", (void *)m == 0);
    return 0;
}
