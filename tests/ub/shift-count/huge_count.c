// C11 6.5.7p3: the count is not reduced modulo anything.
int main(void) {
    int x = 1;
    long n = 4294967296;
    return x >> n; //~ shift-count
}
