// C11 6.5.16p3: the pointer may be read before or after f moves it.
static int a[2];
static int *p = a;
static int f(void) {
    p = a + 1; //~ call-order
    return 9;
}
int main(void) {
    *p = f();
    return a[0];
}
