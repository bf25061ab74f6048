// C11 6.5p5: the smallest int has no negation.
int main(void) {
    int x = -2147483647 - 1;
    int y = -x; //~ signed-overflow
    return y != 0;
}
