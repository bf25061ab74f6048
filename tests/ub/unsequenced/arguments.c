// C11 6.5.2.2p10: the arguments are unsequenced with respect to each other.
static int add(int x, int y) {
    return x + y;
}
int main(void) {
    int i = 1;
    return add(i++, i); //~ unsequenced
}
