// GCC manual 6.59: control must not reach __builtin_unreachable (undefined as of C11 4p2).
int main(void) {
    __builtin_unreachable(); //~ unreachable
}
