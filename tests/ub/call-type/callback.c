// C11 6.5.2.2p9: a comparison function with typed parameters, called as one with void pointers.
static int compare(const int *a, const int *b) {
    return *a - *b;
}
static int apply(int (*f)(const void *, const void *), const void *a, const void *b) {
    return f(a, b); //~ call-type
}
int main(void) {
    int x = 1, y = 2;
    return apply((int (*)(const void *, const void *))compare, &x, &y);
}
