// C11 6.5.7p3: the count equals the width of long.
int main(void) {
    unsigned long x = 1;
    return (x << 64) != 0; //~ shift-count
}
