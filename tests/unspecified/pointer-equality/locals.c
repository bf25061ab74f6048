// C11 6.5.9p6: a pointer one past x may or may not equal a pointer to y.
int main(void) {
    int x = 1, y = 2;
    int *p = &x + 1, *q = &y;
    return p == q; //~ pointer-equality
}
