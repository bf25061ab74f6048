// C11 6.2.6.1p4: a pointer put together from the bytes of another is that pointer.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
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
    unsigned char store[sizeof p];
    memcpy(store, &p, sizeof p);
    memcpy(&q, store, sizeof q);
    printf("%d\n", q[1]);
    uintptr_t n = (uintptr_t)p;
    int *r = (int *)n;
    printf("%d %d\n", r == p, *r);
    void *w = p;
    printf("%d\n", *(int *)(char *)w);
    int (*f)(const char *, ...) = printf;
    void (*g)(void) = (void (*)(void))f;
    ((int (*)(const char *, ...))g)("%s\n", "back");
    return 0;
}
