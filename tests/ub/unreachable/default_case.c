// GCC manual 6.59: the default case is reached.
static int f(int x) {
    switch (x) {
    case 0:
        return 1;
    case 1:
        return 2;
    default:
        __builtin_unreachable(); //~ unreachable
    }
}
int main(void) {
    return f(0) + f(2);
}
