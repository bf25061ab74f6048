// C11 6.2.4p6: written after the block.
int main(void) {
    long *p = 0;
    if (!p) {
        long x = 1;
        p = &x;
    }
    *p = 2; //~ dangling
    return 0;
}
