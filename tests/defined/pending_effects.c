// C11 6.5.2.2p10, 6.5.17p2: side effects in a called function, before a comma or in a statement
// expression are complete before the outer assignment stores.
#include <stdio.h>
int g, h, k;
int *p = &g, *q = &h, *r = &k;
int f(void) {
    *q = (*p = 5);
    return 1;
}
int main(void) {
    *p = (*r = f());
    printf("%d %d %d\n", g, h, k);
    *p = (*r = (f(), 3));
    printf("%d %d %d\n", g, h, k);
    *p = (*r = ((*q = (*p = 5)), 4));
    printf("%d %d %d\n", g, h, k);
    *p = (*r = ({ *q = (*p = 5); 6; }));
    printf("%d %d %d\n", g, h, k);
    return 0;
}
