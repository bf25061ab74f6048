// C11 6.5.16.2p3 and 6.5p5: x *= y multiplies in long long.
int main(void) {
    long long x = 4000000000LL;
    x *= x; //~ signed-overflow
    return 0;
}
