// C11 6.5.2.2p10: the calls among the arguments both advance the counter.
static int counter;
static int next(void) {
    return counter++; //~ call-order
}
static int pair(int x, int y) {
    return 10 * x + y;
}
int main(void) {
    return pair(next(), next());
}
