// The memory limit ends this.
int main(void) {
    char huge[1UL << 36];
    huge[5] = 1;
    return huge[5];
}
