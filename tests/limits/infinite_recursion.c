// The call-depth limit ends this; it must not be a crash of ours.
// outcome: out-of-memory
static int down(int n) {
    return down(n ^ 1) + 1;
}
int main(void) {
    return down(0);
}
