// C11 6.5.7p3: a count of 2^64 is too large, whatever its low half says.
int main(void) {
    __int128 n = (__int128)1 << 64;
    return 1 << n; //~ shift-count
}
