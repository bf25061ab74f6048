// C11 6.5.2.2p9: the parameter types int and unsigned are not compatible.
static int id(int x) {
    return x;
}
int main(void) {
    int (*f)(unsigned) = (int (*)(unsigned))id;
    return f(1u); //~ call-type
}
