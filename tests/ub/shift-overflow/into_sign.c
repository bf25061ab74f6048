// C11 6.5.7p4: 2 to the power 31 is not representable in int.
int main(void) {
    int n = 31;
    return 1 << n; //~ shift-overflow
}
