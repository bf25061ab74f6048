// C11 6.5.7p3: the count equals the width of int.
int main(void) {
    int n = 32;
    return 1 << n; //~ shift-count
}
