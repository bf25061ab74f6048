// The step limit ends this.
// outcome: out-of-fuel
int main(void) {
    volatile int x = 0;
    while (1)
        x ^= 1;
}
