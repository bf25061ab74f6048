// C11 6.5.2.2p10: the same with the operands exchanged.
static int g = 1;
static int f(void) {
    g = 5; //~ call-order
    return 1;
}
int main(void) {
    return f() - g;
}
