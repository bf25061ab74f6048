// C11 6.5.2.2p10: the increment may come before or after the body of f.
static int g = 1;
static int f(void) {
    return g; //~ call-order
}
int main(void) {
    return g++ + f();
}
