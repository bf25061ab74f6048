// C11 6.5.7p4: the product with the power of two is not representable.
int main(void) {
    int x = 2147483647;
    return x << 4; //~ shift-overflow
}
