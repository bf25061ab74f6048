// C11 6.5p5: -1 times the smallest int does not fit int.
int main(void) {
    int x = -2147483647 - 1, y = -1;
    int z = y * x; //~ signed-overflow
    return z != 0;
}
