// C11 6.5p6: a declared type never changes.
static _Alignas(8) char buffer[16];
int main(void) {
    long *p = (long *)buffer;
    p[1] = 5; //~ aliasing
    return 0;
}
