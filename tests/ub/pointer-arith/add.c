// C11 6.5.6p8: the sum is two past the end.
int main(void) {
    int a[5] = {0};
    int *p = a + 4;
    p = p + 2; //~ pointer-arith
    return p == a;
}
