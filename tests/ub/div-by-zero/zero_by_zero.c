// C11 6.5.5p5: also where the dividend is zero.
int main(void) {
    int x = 0;
    return x / x; //~ div-by-zero
}
