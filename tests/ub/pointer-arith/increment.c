// C11 6.5.2.4p2: the second ++ leaves one past the end.
int main(void) {
    int x = 1;
    int *p = &x;
    p++;
    p++; //~ pointer-arith
    return p == &x;
}
