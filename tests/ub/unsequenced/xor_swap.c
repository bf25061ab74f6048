// C11 6.5p2: the famous one-line swap writes x twice, unsequenced.
int main(void) {
    int x = 1, y = 2;
    x ^= y ^= x ^= y; //~ unsequenced
    return 0;
}
