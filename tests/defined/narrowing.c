// C11 6.3.1.3p3: conversion to a narrower signed type is implementation-defined: modulo here.
#include <stdio.h>
int main(void) {
    signed char c = 200;
    short s = 70000;
    int i = 3000000000u;
    long l = 18446744073709551615ul;
    printf("%d %d %d %ld\n", c, s, i, l);
    c = -129;
    s = -32769;
    i = -2147483649L;
    printf("%d %d %d\n", c, s, i);
    char plain = 255;
    printf("%d\n", plain);
    unsigned char u = -1;
    unsigned short us = 65537;
    unsigned ui = -1L;
    printf("%d %d %u\n", u, us, ui);
    c = 127;
    c++;
    printf("%d\n", c);
    c--;
    printf("%d\n", c);
    s = 32767;
    s += 1;
    printf("%d\n", s);
    s = 300;
    s *= 300;
    printf("%d\n", s);
    printf("%d %d\n", (signed char)0x1ff, (short)0x18000);
    printf("%d\n", (int)0x100000000LL);
    u = 3.99;
    i = -3.99;
    printf("%d %d\n", u, i);
    return 0;
}
