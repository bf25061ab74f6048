// C11 6.5.7p3: also where the left operand is zero.
int main(void) {
    int n = 32;
    return 0 << n; //~ shift-count
}
