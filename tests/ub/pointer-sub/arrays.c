// C11 6.5.6p9: two arrays.
static int a[4], b[4];
int main(void) {
    long d = b - a; //~ pointer-sub
    return d != 0;
}
