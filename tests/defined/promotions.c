// C11 6.3.1.1p2: integer promotions of every narrow type, in every kind of operator.
#include <stdio.h>
int main(void) {
    signed char sc = -128;
    unsigned char uc = 255;
    short ss = -32768;
    unsigned short us = 65535;
    _Bool b = 1;
    char c = 'z';
    printf("%d %d %d %d %d\n", -sc, -uc, -ss, -us, -b);
    printf("%d %d %d %d %d\n", ~sc, ~uc, ~ss, ~us, ~b);
    printf("%d %d %d\n", uc + uc, sc + sc, us + us);
    printf("%d %d\n", sc * ss, uc * us);
    printf("%d %d %d\n", sc - uc, uc - us, b - uc);
    printf("%d %d\n", uc << 4, us >> 4);
    printf("%zu %zu %zu %zu\n", sizeof +sc, sizeof(uc + uc), sizeof ~b, sizeof(c ? c : c));
    printf("%zu %zu\n", sizeof(uc++), sizeof(uc, sc));
    printf("%d %d %d\n", sc < uc, ss < us, -1 < uc);
    printf("%d\n", (unsigned char)(uc + 1) == 0);
    printf("%d\n", uc + 1 == 256);
    printf("%d\n", !uc);
    printf("%d %d\n", uc == (signed char)-1, us == (short)-1);
    printf("%d\n", uc & sc);
    printf("%d\n", us ^ ss);
    printf("%d\n", b + b + b);
    uc = uc + uc;
    printf("%d\n", uc);
    printf("%d\n", (b ? sc : us));
    printf("%d\n", c - 'a');
    return 0;
}
