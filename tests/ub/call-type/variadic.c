// C11 6.7.6.3p15: a variadic and a fixed type are not compatible.
static int first(int n, ...) {
    return n;
}
int main(void) {
    int (*f)(int, int) = (int (*)(int, int))first;
    return f(1, 2); //~ call-type
}
