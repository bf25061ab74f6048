// C11 6.5p5: the sum of two ints does not fit int.
int main(void) {
    int x = 2147483647;
    int y = 1;
    return (x + y) != 0; //~ signed-overflow
}
