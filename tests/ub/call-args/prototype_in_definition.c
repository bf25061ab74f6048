// C11 6.5.2.2p6: the definition has a prototype, but the call does not see it.
static int add();
int main(void) {
    return add(1, 2, 3); //~ call-args
}
static int add(int x, int y) {
    return x + y;
}
