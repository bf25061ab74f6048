// C11 6.5.7p3: unsigned operands are no exception.
int main(void) {
    unsigned x = 1, n = 32;
    return (x << n) != 0; //~ shift-count
}
