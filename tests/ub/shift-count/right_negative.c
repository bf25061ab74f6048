// C11 6.5.7p3: the count is negative.
int main(void) {
    signed char n = -5;
    unsigned x = 100;
    return (int)(x >> n); //~ shift-count
}
