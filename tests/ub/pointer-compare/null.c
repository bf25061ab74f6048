// C11 6.5.8p5: a null pointer points into no object.
int main(void) {
    int x = 1;
    int *p = &x;
    return p > (int *)0; //~ pointer-compare
}
