// C11 6.5.7p4: 2 to the power 63 is not representable in long.
int main(void) {
    long x = 1;
    return (x << 63) != 0; //~ shift-overflow
}
