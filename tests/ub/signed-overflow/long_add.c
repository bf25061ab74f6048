// C11 6.5p5: the sum of two longs does not fit long.
int main(void) {
    long x = 9223372036854775807L;
    int one = 1;
    return (x + one) < 0; //~ signed-overflow
}
