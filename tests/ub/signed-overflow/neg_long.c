// C11 6.5p5: the smallest long has no negation.
int main(void) {
    long x = -9223372036854775807L - 1;
    long y = -x; //~ signed-overflow
    return y != 0;
}
