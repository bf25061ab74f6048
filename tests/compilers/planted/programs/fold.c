int printf(const char *, ...);
unsigned value = NUMBER;

NOISE

int main(void) {
    printf("%u %u\n", value | 1234567, noise(NUMBER));
    return 0;
}
