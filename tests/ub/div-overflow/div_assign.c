// C11 6.5.16.2p3: x /= y divides.
int main(void) {
    int x = -2147483647 - 1;
    x /= -1; //~ div-overflow
    return 0;
}
