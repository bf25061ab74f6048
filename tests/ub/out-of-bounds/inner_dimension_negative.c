// C11 6.5.6p8: a[1][-1] leaves the row a[1], though not the array a.
int main(void) {
    int a[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int j = -1;
    a[1][j] = 0; //~ out-of-bounds
    return 0;
}
