// C11 6.5.6p8: well past the end of an array.
int main(void) {
    int a[5] = {1, 2, 3, 4, 5};
    int i = 10;
    return a[i]; //~ out-of-bounds
}
