// C11 6.5.2.2p10: g may be read before or after f writes it.
static int g = 1;
static int f(void) {
    g = 5; //~ call-order
    return 1;
}
int main(void) {
    return g + f();
}
