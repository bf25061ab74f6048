// GCC manual 6.33.1: the attribute makes the same promise as _Noreturn.
__attribute__((noreturn)) static void stop(int x) { if (x == 1) return; for (;;) x++; } //~ noreturn
int main(void) {
    stop(1);
    return 0;
}
