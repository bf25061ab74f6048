// C11 6.5.5p5: a constant divisor, in executed code.
int main(void) {
    int x = 1;
    return x / 0; //~ div-by-zero
}
