/* Uses what levels and flags let a compiler use: vectors of all sizes, bit counts, wide products,
   conversions. Only that it runs is of interest. */
#include <stdio.h>

volatile int one = 1;
unsigned words[64];
unsigned long long longs[64];
float floats[64];
double doubles[64];
short shorts[64];
unsigned char bytes[64];

static void fill(void)
{
    int i;
    for (i = 0; i < 64; i++) {
        words[i] = (unsigned)(i * one + 3);
        longs[i] = words[i] * 77777ULL;
        floats[i] = (float)i + 0.5f;
        doubles[i] = i * 1.25 * one;
        shorts[i] = (short)(i - 9 * one);
        bytes[i] = (unsigned char)(i * 3 + one);
    }
}

static unsigned long long loops(void)
{
    unsigned long long sum = 0;
    double real = 0;
    int i;
    for (i = 0; i < 64; i++)
        words[i] = words[i] * words[63 - i] + (words[i] << (i & 7)) - (words[i] >> 3);
    for (i = 0; i < 64; i++)
        longs[i] = (longs[i] * longs[63 - i]) ^ (longs[i] >> (i & 31));
    for (i = 0; i < 64; i++)
        floats[i] = floats[i] * 1.5f + (float)shorts[i];
    for (i = 0; i < 64; i++)
        doubles[i] = doubles[i] * 2.5 + (double)(int)words[i];
    for (i = 0; i < 64; i++)
        shorts[i] = (short)(shorts[i] > 3 ? shorts[i] : bytes[i]);
    for (i = 0; i < 64; i++)
        sum += words[i] + longs[i] + (unsigned)shorts[i] + bytes[i];
    for (i = 0; i < 64; i++)
        real += doubles[i] + floats[i];
    return sum + (unsigned long long)(long long)real;
}

#if defined __GNUC__ && !defined __TINYC__ && !defined __PCC__
typedef int ints __attribute__((vector_size(64)));
typedef double reals __attribute__((vector_size(64)));
typedef short small __attribute__((vector_size(16)));

static unsigned long long builtins(unsigned long long x)
{
    ints a, b;
    reals c;
    small d;
    int i;
    for (i = 0; i < 16; i++) {
        a[i] = i + one;
        b[i] = 3 * i;
    }
    for (i = 0; i < 8; i++) {
        c[i] = i * 0.5 + one;
        d[i] = (short)(i - one);
    }
    a = a * b + (a & b) - (a << 1);
    c = c * c + c;
    d = d * d + d;
    x += (unsigned)a[one] + (unsigned)(int)c[one] + (unsigned short)d[one];
    x += (unsigned)__builtin_popcountll(x) + (unsigned)__builtin_clzll(x | 1);
    x += (unsigned)__builtin_ctzll(x | 16);
    x ^= __builtin_bswap64(x);
    x = (x << (one & 63)) | (x >> (64 - one));
    x &= ~(x << 5);
    return x & (x - 1);
}
#else
static unsigned long long builtins(unsigned long long x)
{
    return x * (unsigned)one;
}
#endif

int main(void)
{
    volatile unsigned long long sink;
    fill();
    sink = builtins(loops());
    (void)sink;
    printf("works\n");
    return 0;
}
