// C11 6.5.5p6: the same in long.
int main(void) {
    long x = -9223372036854775807L - 1;
    int y = -1;
    return (int)(x / y); //~ div-overflow
}
