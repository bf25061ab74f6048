// C11 6.2.6.1p4: a pointer put together from the bytes of another is that pointer.
#include <stdio.h>
union u {
    int *p;
    unsigned char b[sizeof(int *)];
};
int main(void) {
    int a[3] = {1, 2, 3};
    int *p = &a[1], *q = 0;
    for (unsigned i = 0; i < sizeof p; i++)
        ((unsigned char *)&q)[i] = ((unsigned char *)&p)[i];
    *q = 20;
    printf("%d %d\n", a[1], q == p);
    union u u, v;
    u.p = a;
    for (int i = sizeof u.b - 1; i >= 0; i--)
        v.b[i] = u.b[i];
    printf("%d\n", v.p[2]);
    return 0;
}
