// C11 6.5.2.3p3 (footnote 95): a union member other than the last stored one is reinterpreted.
#include <stdint.h>
#include <stdio.h>
union u {
    float f;
    uint32_t i;
    unsigned char b[4];
    struct {
        uint16_t lo, hi;
    } h;
};
union d {
    double d;
    uint64_t u;
    int64_t s;
    int i[2];
};
int main(void) {
    union u u;
    u.f = 1.5f;
    printf("%08x %02x %02x %04x\n", u.i, u.b[3], u.b[2], u.h.hi);
    u.i = 0xc0490fdb;
    printf("%.6f %04x\n", u.f, u.h.lo);
    u.b[0] = 0;
    printf("%08x\n", u.i);
    u.h.hi = 0x4000;
    printf("%08x %.6f\n", u.i, u.f);
    union d d = {.u = 0x4010000000000000};
    printf("%f\n", d.d);
    d.d = -0.0;
    printf("%d %d %d\n", d.i[0], d.i[1] == -2147483647 - 1, d.s < 0);
    d.i[0] = 1;
    d.i[1] = 0;
    printf("%lu\n", (unsigned long)d.u);
    union d *p = &d;
    p->s = -1;
    printf("%x %d\n", p->i[0], p->d != p->d);
    return 0;
}
