// C11 6.5.6p8: the byte offset would even overflow.
int main(void) {
    long a[2] = {0};
    unsigned long n = 1UL << 62;
    long *p = a + n; //~ pointer-arith
    return p == a;
}
