// C11 6.5.16.2p3: x <<= n shifts.
int main(void) {
    long long x = -2;
    x <<= 3; //~ shift-overflow
    return 0;
}
