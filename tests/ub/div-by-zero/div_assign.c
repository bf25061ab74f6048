// C11 6.5.16.2p3: x /= y divides.
int main(void) {
    long x = 5, y = 0;
    x /= y; //~ div-by-zero
    return 0;
}
