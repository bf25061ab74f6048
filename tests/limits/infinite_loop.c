// The step limit ends this.
int main(void) {
    volatile int x = 0;
    while (1)
        x ^= 1;
}
