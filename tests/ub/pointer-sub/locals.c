// C11 6.5.6p9: two variables are not elements of one array.
int main(void) {
    int a = 1, b = 2;
    return (int)(&a - &b); //~ pointer-sub
}
