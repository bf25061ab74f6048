// C11 6.5.7p3: the count exceeds the width of long.
int main(void) {
    long x = 1;
    int n = 100;
    return (x >> n) != 0; //~ shift-count
}
