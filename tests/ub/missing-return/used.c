// C11 6.9.1p12: the function ends without a value, and the caller uses it.
static int nothing(void) {
}
int main(void) {
    return nothing(); //~ missing-return
}
