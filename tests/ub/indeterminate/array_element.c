// C11 6.3.2.1p2: the element was not assigned.
int main(void) {
    int a[4];
    a[0] = 1;
    a[1] = 2;
    return a[2]; //~ indeterminate
}
