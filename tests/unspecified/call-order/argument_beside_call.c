// C11 6.5.2.2p10: one argument reads what the call in the other writes.
static int g = 1;
static int f(void) {
    return g = 7; //~ call-order
}
static int pair(int x, int y) {
    return 10 * x + y;
}
int main(void) {
    return pair(g, f());
}
