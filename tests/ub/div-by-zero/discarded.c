// C11 6.5.5p5: the value is not used, but the operation is executed.
int main(void) {
    int x = 1, y = 0;
    x / y; //~ div-by-zero
    return 0;
}
