// The step limit ends this.
int main(void) {
    unsigned x = 0;
again:
    x = x * 3 + 1;
    goto again;
}
