// C11 6.3.2.1p2: the result would be zero for any x, but x is read.
int main(void) {
    int x;
    int y = x - x; //~ indeterminate
    return y;
}
