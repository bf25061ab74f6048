// System V ABI 3.1.2: bit-fields are packed from the low end and do not cross their unit.
#include <stdio.h>
#include <string.h>
struct cross {
    unsigned a : 30;
    unsigned b : 4;
    unsigned c : 28;
};
struct zero {
    unsigned char a : 4;
    unsigned char : 0;
    unsigned char b : 4;
};
struct mixed {
    char c;
    int a : 9;
    short b : 7;
    long l : 20;
};
struct __attribute__((packed)) packed {
    unsigned a : 3;
    unsigned b : 15;
    unsigned c : 30;
    char d;
};
struct gap {
    unsigned a : 4;
    unsigned : 6;
    unsigned b : 6;
};
union u {
    struct {
        unsigned lo : 12, mid : 8, hi : 12;
    };
    unsigned all;
};
int main(void) {
    printf("%zu %zu %zu %zu %zu\n", sizeof(struct cross), sizeof(struct zero), sizeof(struct mixed),
           sizeof(struct packed), sizeof(struct gap));
    unsigned char bytes[8];
    struct packed p = {5, 0x7abc, 0x2abcdef1, 9};
    memcpy(bytes, &p, sizeof p);
    for (unsigned i = 0; i < sizeof p; i++)
        printf("%02x", bytes[i]);
    printf("\n");
    p.b = 0;
    p.c++;
    printf("%u %u %u %d\n", p.a, p.b, p.c, p.d);
    union u u = {.all = 0x12345678};
    printf("%x %x %x\n", u.lo, u.mid, u.hi);
    u.mid = 0xff;
    printf("%x\n", u.all);
    struct cross c = {0x3fffffff, 0, 0xfffffff};
    c.b = 10;
    printf("%x %x %x\n", c.a, c.b, c.c);
    struct zero z = {15, 0};
    z.b = 6;
    printf("%d %d\n", z.a, z.b);
    struct mixed m = {1, -200, -60, -500000};
    printf("%d %d %d %ld\n", m.c, m.a, m.b, (long)m.l);
    struct gap g = {9, 33};
    printf("%u %u\n", g.a, g.b);
    return 0;
}
