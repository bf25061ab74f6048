// C11 6.9.1p12: one path has no return.
static int positive(int x) {
    if (x > 0)
        return 1;
}
int main(void) {
    int a = positive(1);
    int b = positive(-1); //~ missing-return
    return a + b;
}
