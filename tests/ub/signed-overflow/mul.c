// C11 6.5p5: the product of two ints does not fit int.
int main(void) {
    int x = 65536;
    int y = x * x; //~ signed-overflow
    return y != 0;
}
