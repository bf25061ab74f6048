// C11 5.1.2.3, 6.7.3p7: volatile accesses in a defined order.
#include <stdio.h>
struct s {
    volatile int a;
    int b;
};
static volatile int v = 1;
static volatile unsigned char bytes[4];
static volatile struct {
    int x, y;
    unsigned f : 4;
} vs = {1, 2, 3};
static int read(volatile int *p) {
    return *p;
}
int main(void) {
    v = v + 1;
    v++;
    v += 2;
    v = -v;
    printf("%d\n", v);
    for (volatile int i = 0; i < 4; i++) {
        int k = i;
        bytes[k] = k * 100;
    }
    printf("%d\n", bytes[3]);
    int plain = 5;
    printf("%d\n", read(&plain) + 1);
    vs.x = vs.y;
    vs.f = 20;
    vs.y ^= 7;
    printf("%d\n", vs.x);
    printf("%d\n", vs.f);
    struct s s = {1, 2};
    s.a = s.b;
    struct s t = s;
    printf("%d\n", t.a);
    int *volatile vp = &plain;
    *vp = 6;
    volatile int *pv = &plain;
    *pv = *pv * 2;
    printf("%d\n", plain);
    const volatile int cv = 3;
    printf("%d\n", cv);
    int a = v, b = v;
    printf("%d\n", a == b);
    (void)v;
    v;
    return v && v ? 0 : 1;
}
