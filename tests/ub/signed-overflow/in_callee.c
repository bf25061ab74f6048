// C11 6.5p5: the place is where the operation is, not where the values come from.
static int twice(int x) {
    return 2 * x; //~ signed-overflow
}
int main(void) {
    return twice(1500000000);
}
