// C11 6.7.6.1p2: pointers are compatible only if what they point to is.
static int first(int *p) {
    return *p;
}
int main(void) {
    int x = 1;
    int (*f)(void *) = (int (*)(void *))first;
    return f(&x); //~ call-type
}
