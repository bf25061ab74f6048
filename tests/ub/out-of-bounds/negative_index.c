// C11 6.5.6p8: before the start of an array.
int main(void) {
    int a[5] = {0};
    int i = -1;
    return a[i]; //~ out-of-bounds
}
