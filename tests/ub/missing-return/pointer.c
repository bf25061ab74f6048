// C11 6.9.1p12: the missing value is a pointer.
static int x = 1;
static int *find(int n) {
    while (n-- > 0)
        if (n == 5)
            return &x;
}
int main(void) {
    int *p = find(2); //~ missing-return
    return *p;
}
