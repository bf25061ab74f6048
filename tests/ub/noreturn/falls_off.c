// C11 6.7.4p8: a _Noreturn function returns to its caller.
_Noreturn static void stop(void) { } //~ noreturn
int main(void) {
    stop();
    return 0;
}
