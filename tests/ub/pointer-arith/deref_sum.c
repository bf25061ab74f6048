// C11 6.5.6p8: *(a + 7) adds before it accesses.
int main(void) {
    int a[5] = {0};
    return *(a + 7); //~ pointer-arith
}
