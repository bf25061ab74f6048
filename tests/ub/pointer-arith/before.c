// C11 6.5.6p8: one before the first element is not allowed, even if it is not used.
int main(void) {
    int a[5] = {0};
    int *p = a - 1; //~ pointer-arith
    return p == a;
}
