int printf(const char *, ...);
short value = -NUMBER;

NOISE

int main(void) {
    printf("%ld %u\n", (long)value, noise(NUMBER));
    return 0;
}
