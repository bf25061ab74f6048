// C11 6.5p5: the difference of two ints does not fit int.
int main(void) {
    int x = -2147483647 - 1;
    int y = 1;
    x = x - y; //~ signed-overflow
    return 0;
}
