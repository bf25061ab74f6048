// C11 6.3.2.1p2: copying a scalar reads it.
int main(void) {
    int x;
    int y = x; //~ indeterminate
    (void)y;
    return 0;
}
