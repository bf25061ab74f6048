int printf(const char *, ...);
int value, *place = &value;

NOISE

int main(void) {
    value = NUMBER;
    int before = *place;
    value = 2;
    printf("%d %u\n", before + value, noise(NUMBER));
    return 0;
}
