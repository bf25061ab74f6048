// C11 6.5.16.2p3: the body of f may run before or after the left operand is read.
static int g = 1;
static int f(void) {
    g = 10; //~ call-order
    return 1;
}
int main(void) {
    g += f();
    return g;
}
