// C11 6.2.6.1p4: a pointer copied as bytes is that pointer.
#include <stdio.h>
#include <string.h>
union u {
    int *p;
    unsigned char b[sizeof(int *)];
};
int main(void) {
    int a[3] = {1, 2, 3};
    int *p = &a[1], *q = 0;
    union u u, v;
    u.p = a;
    v = u;
    printf("%d\n", v.p[2]);
    memcpy(v.b, &p, sizeof p);
    *v.p = 20;
    printf("%d %d\n", a[1], v.p == p);
    unsigned char store[sizeof p];
    memcpy(store, &p, sizeof p);
    memcpy(&q, store, sizeof q);
    printf("%d\n", q[1]);
    void *w = p;
    printf("%d\n", *(int *)(char *)w);
    return 0;
}
