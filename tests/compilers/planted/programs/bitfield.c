int printf(const char *, ...);
struct {
    unsigned field : 11;
} bits;
unsigned value = 1999;

NOISE

int main(void) {
    bits.field = value;
    printf("%d %u\n", bits.field, noise(NUMBER));
    return 0;
}
