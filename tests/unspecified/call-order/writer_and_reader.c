// C11 6.5.2.2p10: one call writes what the other reads.
static int g = 1;
static int bump(void) {
    return ++g;
}
static int get(void) {
    return g; //~ call-order
}
int main(void) {
    return bump() - get();
}
