// C11 6.5.7p3: the same with a left operand of 128 bits.
int main(void) {
    unsigned __int128 n = (unsigned __int128)3 << 64, x = 1;
    return (int)(x >> n); //~ shift-count
}
