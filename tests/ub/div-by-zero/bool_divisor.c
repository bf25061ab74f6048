// C11 6.5.5p5: the divisor is a comparison's result.
int main(void) {
    int x = 7, y = 7;
    return x % (x != y); //~ div-by-zero
}
