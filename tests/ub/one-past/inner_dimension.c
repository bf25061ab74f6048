// C11 6.5.6p8: a[0][3] is one past the row a[0]; that a[1][0] is there does not help.
int main(void) {
    int a[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int j = 3;
    return a[0][j]; //~ one-past
}
