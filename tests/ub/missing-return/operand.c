// C11 6.9.1p12: the value is an operand.
static long missing(void) {
}
int main(void) {
    long x = 1;
    x += missing(); //~ missing-return
    return 0;
}
