// C11 6.5.16p3: the index may be read before or after f changes it.
static int i;
static int f(void) {
    i = 2; //~ call-order
    return 9;
}
int main(void) {
    int a[3] = {1, 2, 3};
    a[i] = f();
    return a[2];
}
