// C11 6.5.7p3: each operand is promoted on its own, so a long count does not widen an int.
int main(void) {
    int x = 1;
    long n = 40;
    return (x << n) != 0; //~ shift-count
}
