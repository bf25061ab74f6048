// C11 5.1.2.3p6: the order of volatile accesses is part of the program's behaviour.
volatile int v;
static int touch(int x) {
    v = x; //~ call-order
    return x;
}
int main(void) {
    return touch(1) + touch(2);
}
