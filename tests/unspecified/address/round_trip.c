// C11 7.20.1.4p1: a pointer converted to uintptr_t and back is that pointer. The number is not
// specified; the machine refuses it as soon as it is kept, though this program never looks at it.
#include <stdint.h>
#include <stdio.h>
int main(void) {
    int a[3] = {1, 2, 3};
    int *p = &a[1];
    int *same = (int *)(uintptr_t)(void *)p;
    printf("%d %d\n", same == p, same[1]);
    uintptr_t n = (uintptr_t)(void *)p; //~ address
    int *q = (void *)n;
    printf("%d %d\n", q == p, q[1]);
    return 0;
}
