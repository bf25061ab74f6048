// C11 6.5.2.2p10: the second call is deep in the other operand.
static int g;
static int set(int x) {
    g = x; //~ call-order
    return x;
}
static int id(int x) {
    return x;
}
int main(void) {
    return set(1) + (2 * id(set(3) + 1));
}
