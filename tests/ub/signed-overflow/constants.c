// C11 6.5p5: an overflow between constants is one too, where it is executed.
int main(void) {
    int x;
    x = 2147483647 + 1; //~ signed-overflow
    return x != 0;
}
