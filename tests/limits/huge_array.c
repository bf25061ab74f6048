// The memory limit ends this; the array is never touched.
// outcome: out-of-memory
static char huge[1UL << 36];
int main(void) {
    return huge[0];
}
