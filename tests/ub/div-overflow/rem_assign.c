// C11 6.5.16.2p3: x %= y divides.
int main(void) {
    long x = -9223372036854775807L - 1;
    x %= -1L; //~ div-overflow
    return 0;
}
