// C11 6.5.6p8: there is no row 5.
int main(void) {
    int a[2][3] = {{0}};
    int i = 5;
    return a[i][0]; //~ out-of-bounds
}
