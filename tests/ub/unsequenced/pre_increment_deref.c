// C11 6.5p2: ++p on the left, a read of p on the right.
int main(void) {
    int a[3] = {1, 2, 3}, *p = a;
    *++p = p[0]; //~ unsequenced
    return 0;
}
