// C11 6.5.6p8: row 2 of two rows.
int main(void) {
    int a[2][2] = {{1, 2}, {3, 4}};
    int i = 2;
    return a[i][0]; //~ one-past
}
