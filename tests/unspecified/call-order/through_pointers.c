// C11 6.5.2.2p10: both calls write the object that their argument points to.
static int add(int *p, int n) {
    *p = *p * 2 + n; //~ call-order
    return *p;
}
int main(void) {
    int x = 1;
    return add(&x, 1) * 10 + add(&x, 2);
}
