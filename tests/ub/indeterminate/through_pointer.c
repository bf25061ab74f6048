// C11 6.3.2.1p2: read through a pointer.
static int get(const int *p) {
    return *p + 1; //~ indeterminate
}
int main(void) {
    int x;
    return get(&x);
}
