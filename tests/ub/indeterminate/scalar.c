// C11 6.3.2.1p2: x was never given a value.
int main(void) {
    int x;
    return x; //~ indeterminate
}
