int printf(const char *, ...);
int value = 1;

int stored(int *place) {
    value = 3;
    *place = NUMBER;
    return value;
}

NOISE

int main(void) {
    printf("%d %u\n", stored(&value), noise(NUMBER));
    return 0;
}
