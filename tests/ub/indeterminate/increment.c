// C11 6.3.2.1p2: x++ reads x.
int main(void) {
    int x;
    x++; //~ indeterminate
    return 0;
}
