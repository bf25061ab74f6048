int printf(const char *, ...);
int sum;

NOISE

int main(void) {
    for (int i = 0; i <= 7; i++)
        sum += i;
    printf("%d %u\n", sum, noise(NUMBER));
    return 0;
}
