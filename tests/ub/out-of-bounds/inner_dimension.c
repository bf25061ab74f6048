// C11 6.5.6p8: a[0][4] leaves the row a[0], though not the array a.
int main(void) {
    int a[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int j = 4;
    return a[0][j]; //~ out-of-bounds
}
