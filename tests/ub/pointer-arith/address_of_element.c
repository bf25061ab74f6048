// C11 6.5.3.2p3: &a[6] is a + 6, and the array has five elements.
int main(void) {
    int a[5] = {0};
    int i = 6;
    int *p = &a[i]; //~ pointer-arith
    return p == a;
}
