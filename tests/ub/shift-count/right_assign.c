// C11 6.5.16.2p3: x >>= n shifts.
int main(void) {
    long long x = 1;
    int n = -64;
    x >>= n; //~ shift-count
    return 0;
}
