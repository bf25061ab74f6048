// C11 6.5.2.4p2 and 6.5p5: x++ adds in int.
int main(void) {
    int x = 2147483647;
    int y = x++; //~ signed-overflow
    return y != 0;
}
