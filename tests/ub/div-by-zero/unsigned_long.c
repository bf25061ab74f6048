// C11 6.5.5p5: unsigned arithmetic wraps around, but does not divide by zero.
int main(void) {
    unsigned long x = 5, y = 18446744073709551615UL;
    return (int)(x / (y + 1)); //~ div-by-zero
}
