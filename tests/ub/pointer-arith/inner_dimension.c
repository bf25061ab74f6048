// C11 6.5.6p8: the row a[0] has three elements.
int main(void) {
    int a[2][3] = {{0}};
    int *p = a[0];
    p = a[0] + 4; //~ pointer-arith
    return p == a[1];
}
