int printf(const char *, ...);
long value = NUMBER;

NOISE

int main(void) {
    printf("%ld %u\n", value << 40, noise(NUMBER));
    return 0;
}
