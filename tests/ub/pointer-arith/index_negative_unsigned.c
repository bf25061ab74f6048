// C11 6.5.6p8: an unsigned -1 is a very large index, not a step back.
int main(void) {
    int a[5] = {0};
    int *p = a + 2;
    unsigned i = -1;
    return p[i]; //~ pointer-arith
}
