// The memory limit ends this.
// outcome: out-of-memory
int main(void) {
    char huge[1UL << 36];
    huge[5] = 1;
    return huge[5];
}
