// C11 6.5.2.4p3 and 6.5p5: x-- subtracts in long.
int main(void) {
    long x = -9223372036854775807L - 1;
    x--; //~ signed-overflow
    return 0;
}
