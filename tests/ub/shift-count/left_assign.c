// C11 6.5.16.2p3: x <<= n shifts.
int main(void) {
    unsigned x = 1;
    x <<= 32; //~ shift-count
    return 0;
}
