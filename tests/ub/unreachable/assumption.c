// GCC manual 6.59: an assumption that does not hold.
static int half(int x) {
    if (x < 0)
        __builtin_unreachable(); //~ unreachable
    return x / 2;
}
int main(void) {
    return half(4) + half(-4);
}
