// C11 6.5.2.2p10: two reads of one volatile object among the arguments.
volatile int v = 1;
static int add(int x, int y) {
    return x + y;
}
int main(void) {
    return add(v, v); //~ unsequenced
}
