// The call-depth limit ends this, with large frames.
// outcome: out-of-memory
static int odd(unsigned n);
static int even(unsigned n) {
    char frame[1000] = {0};
    frame[n % 1000] = 1;
    return odd(n + 1) + frame[0];
}
static int odd(unsigned n) {
    return even(n + 1);
}
int main(void) {
    return even(0);
}
