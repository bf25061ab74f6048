int printf(const char *, ...);
long value = 9;

static long difference(long a, long b) {
    return a - b;
}

NOISE

int main(void) {
    printf("%ld %u\n", difference(value, NUMBER), noise(NUMBER));
    return 0;
}
