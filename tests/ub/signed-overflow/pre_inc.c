// C11 6.5.3.1p2 and 6.5p5: ++x is x += 1 in int.
int main(void) {
    int x = 2147483647;
    ++x; //~ signed-overflow
    return 0;
}
