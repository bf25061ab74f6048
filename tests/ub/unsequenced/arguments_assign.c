// C11 6.5.2.2p10: two assignments among the arguments.
static int add(int x, int y) {
    return x + y;
}
int main(void) {
    int i;
    return add(i = 1, i = 2); //~ unsequenced
}
