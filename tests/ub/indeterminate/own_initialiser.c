// C11 6.2.1p7: the scope of x begins before its initialiser.
int main(void) {
    int x = x; //~ indeterminate
    return x;
}
