// C11 6.5.8p5: two arrays are not parts of one object.
static int a[4], b[4];
int main(void) {
    int *p = a, *q = b;
    return p >= q; //~ pointer-compare
}
