// C11 6.5.6p8: a null pointer points into no array.
int main(void) {
    int *p = 0;
    p = p + 1; //~ pointer-arith
    return p == 0;
}
