// C11 6.5.6p8: well past the end of an array.
static int a[5];
int main(void) {
    a[7] = 1; //~ out-of-bounds
    return 0;
}
