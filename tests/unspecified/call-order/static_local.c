// C11 6.5.2.2p10: the state is a static local variable.
static int next(void) {
    static int n = 1;
    n *= 2; //~ call-order
    return n;
}
int main(void) {
    return next() - next();
}
