// C11 6.5.2.2p9: a function of one parameter is called as one of none.
static int id(int x) {
    return x;
}
int main(void) {
    int (*f)(void) = (int (*)(void))id;
    return f(); //~ call-type
}
