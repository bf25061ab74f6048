// C11 6.5p5: an overflow in a compound assignment through a pointer.
int main(void) {
    long long x = -9223372036854775807LL;
    long long *p = &x;
    *p -= 2; //~ signed-overflow
    return 0;
}
