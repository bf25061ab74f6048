// C11 6.5.5p5: the divisor of % is zero.
int main(void) {
    int x = 5, y = 0;
    return x % y; //~ div-by-zero
}
