// C11 6.5.2.2p9: a function of one parameter is called with two.
static int id(int x) {
    return x;
}
int main(void) {
    int (*f)(int, int) = (int (*)(int, int))id;
    return f(1, 2); //~ call-type
}
