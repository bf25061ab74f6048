// C11 6.5.3.1p3 and 6.5p5: --x subtracts in int.
int main(void) {
    int x = -2147483647 - 1;
    int y = --x; //~ signed-overflow
    return y != 0;
}
