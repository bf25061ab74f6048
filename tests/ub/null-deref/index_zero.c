// C11 6.5.2.1p2: p[0] is *(p + 0).
int main(void) {
    long *p = 0;
    p[0] = 1; //~ null-deref
    return 0;
}
