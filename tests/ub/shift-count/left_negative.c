// C11 6.5.7p3: the count is negative.
int main(void) {
    int n = -1;
    return 1 << n; //~ shift-count
}
