// C11 6.3.2.1p2: three bytes of four were written.
int main(void) {
    int x;
    unsigned char *p = (unsigned char *)&x;
    p[0] = 1;
    p[1] = 2;
    p[2] = 3;
    return x; //~ indeterminate
}
