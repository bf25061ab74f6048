// The step limit ends this.
// outcome: out-of-fuel
int main(void) {
    unsigned x = 0;
again:
    x = x * 3 + 1;
    goto again;
}
