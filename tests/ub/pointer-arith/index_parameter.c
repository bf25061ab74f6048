// C11 6.7.6.3p7: an array parameter is a pointer; the bounds are the argument's.
static int get(int a[10], int i) {
    return a[i]; //~ pointer-arith
}
int main(void) {
    int a[3] = {1, 2, 3};
    return get(a, 5);
}
