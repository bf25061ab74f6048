/* Uses what a compiler may use of an instruction set: its result depends on no flags. At -O3, these loops become
   vectors of every width, and the bit operations single instructions. */
#include <stdio.h>

enum { LENGTH = 67 };
volatile int one = 1;
static unsigned char bytes[LENGTH];
static short halves[LENGTH];
static int words[LENGTH], others[LENGTH];
static long long longs[LENGTH];
static float floats[LENGTH];
static double doubles[LENGTH];

static void fill(int by) {
    int i;
    for (i = 0; i < LENGTH; i++) {
        bytes[i] = (unsigned char)(i * 7 + by);
        halves[i] = (short)(i * 331 - by);
        words[i] = i * 104729 + by;
        others[i] = (i ^ 21) + by;
        longs[i] = (long long)i * 1000003 * by;
        floats[i] = (float)(i + by);
        doubles[i] = (double)i * 2 - by;
    }
}

int main(void) {
    int i, count = 0, least = 0;
    unsigned sum = 0;
    long long wide = 0;
    float single = 0;
    double real = 0;
    fill(one);
    for (i = 0; i < LENGTH; i++)
        sum += bytes[i] * 3u + (unsigned)words[i] * (unsigned)others[i];
    for (i = 0; i < LENGTH; i++)
        halves[i] = (short)(halves[i] > 5000 ? halves[i] - bytes[i] : halves[i] + bytes[i]);
    for (i = 0; i < LENGTH; i++)
        least = words[i] - halves[i] < least ? words[i] - halves[i] : least;
    for (i = 0; i < LENGTH; i++)
        longs[i] = (longs[i] << (i & 7)) ^ (longs[i] >> 3);
    for (i = 0; i < LENGTH; i++)
        wide += longs[i] * (others[i] | 1);
    for (i = 0; i < LENGTH; i++)
        floats[i] = floats[i] * 2 + (float)others[i];
    for (i = 0; i < LENGTH; i++)
        doubles[i] = (double)floats[i] - doubles[i] / 2;
    for (i = 0; i < LENGTH; i++)
        single += floats[i], real += doubles[i];
    for (i = 0; i < LENGTH; i++)
        count += (int)(words[others[i] % LENGTH] & 0x55) + (bytes[LENGTH - 1 - i] >> 1);
    sum += (sum << (one * 5) | sum >> (32 - one * 5)) + (sum & ~(unsigned)count);
    printf("%u %d %lld %d %.1f %.1f\n", sum, least, wide, count, (double)single, real);
    return 0;
}
