// C11 6.3.1.2: conversion to _Bool compares with zero.
#include <stdbool.h>
#include <stdio.h>
static bool negate(bool b) {
    return !b;
}
static bool test(double d) {
    return d;
}
int main(void) {
    double zero = 0.0;
    _Bool a[] = {0, 1, 2, -1, 256, 0.1, -0.0, 1e-300, 0x100000000, 'a'};
    for (unsigned i = 0; i < sizeof a / sizeof *a; i++)
        printf("%d", a[i]);
    printf("\n%d %d\n", (_Bool)(zero / zero), (_Bool)"x");
    int x = 0, *p = &x, *q = 0;
    bool b = p, c = q;
    printf("%d %d\n", b, c);
    printf("%d %d %d\n", negate(5), negate(0), negate(negate(7)));
    printf("%d %d\n", test(0.5), test(-0.0));
    b = 5;
    printf("%d %zu\n", b == true, sizeof b);
    b ^= 1;
    printf("%d\n", b);
    b = ~b;
    printf("%d\n", b);
    b &= 2;
    printf("%d\n", b);
    printf("%d\n", (bool)0.4 + (bool)3 + (bool)256);
    printf("%d %d\n", true + true, -true);
    int flags = 0x100;
    bool set = flags & 0x100;
    char narrow = flags & 0x100;
    printf("%d %d\n", set, narrow);
    unsigned char byte = *(unsigned char *)&set;
    printf("%d\n", byte);
    return 0;
}
