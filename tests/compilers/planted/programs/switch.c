int printf(const char *, ...);
int value = 7;

NOISE

int main(void) {
    switch (value) {
    case 7:
        value = NUMBER;
        break;
    default:
        value = 2;
    }
    printf("%d %u\n", value, noise(NUMBER));
    return 0;
}
