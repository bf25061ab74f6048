// C11 6.3.2.1p2: the index is what was not initialised.
int main(void) {
    int a[2] = {1, 2};
    int i;
    return a[i & 1]; //~ indeterminate
}
