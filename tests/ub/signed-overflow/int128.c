// C11 6.5p5: the extended integer types overflow like the others.
int main(void) {
    __int128 x = (__int128)1 << 126;
    x = x + x; //~ signed-overflow
    return 0;
}
