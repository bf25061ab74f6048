// A program of the kind Csmith makes: nested structs, safe arithmetic, a checksum at the end.
#include <stdint.h>
#include <stdio.h>
static uint32_t table[256];
static uint32_t context = 0xffffffffu;
static void make_table(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int j = 8; j > 0; j--)
            c = c & 1 ? (c >> 1) ^ 0xedb88320u : c >> 1;
        table[i] = c;
    }
}
static void byte(uint8_t b) {
    context = ((context >> 8) & 0x00ffffff) ^ table[(context ^ b) & 0xff];
}
static void word(uint64_t v) {
    for (int i = 0; i < 8; i++)
        byte((uint8_t)(v >> 8 * i));
}
static int32_t safe_add(int32_t a, int32_t b) {
    return (b > 0 && a > INT32_MAX - b) || (b < 0 && a < INT32_MIN - b) ? a : a + b;
}
static int32_t safe_div(int32_t a, int32_t b) {
    return b == 0 || (a == INT32_MIN && b == -1) ? a : a / b;
}
static int32_t safe_shift(int32_t a, uint32_t n) {
    return a < 0 || n >= 32 || a > INT32_MAX >> n ? a : a << n;
}
struct inner {
    int8_t a;
    uint16_t b;
    int64_t c;
};
struct outer {
    struct inner v[3];
    volatile int32_t f : 17;
    const uint32_t g;
};
static struct outer state = {{{-1, 2, -3}, {4, 5, 6}, {7, 8, -9}}, -1000, 77};
static int32_t *p = 0;
static int32_t matrix[2][4] = {{1, -2, 3, -4}, {5, -6, 7, -8}};
static int32_t **pp = &p;
static int32_t work(int32_t x, struct inner in) {
    int32_t r = x;
    for (int8_t i = 3; i >= 0; i--) {
        *pp = &matrix[i & 1][i];
        r = safe_add(r, safe_shift(*p, i));
        **pp = safe_div(r, in.a) ^ (int32_t)in.c;
        if (r & 1)
            continue;
        in.a = safe_add(in.a, i);
    }
    return r;
}
int main(void) {
    make_table();
    for (int i = 0; i < 5; i++) {
        state.f = work(state.f, state.v[i % 3]);
        state.v[i % 3].b += state.f;
    }
    for (int i = 0; i < 3; i++) {
        word(state.v[i].a);
        word(state.v[i].b);
        word(state.v[i].c);
    }
    for (int i = 0; i < 8; i++)
        word(matrix[i / 4][i % 4]);
    word(state.f);
    word(state.g);
    printf("checksum = %X\n", context ^ 0xffffffffu);
    return 0;
}
