// C11 6.5.2.1p2: p[i] is *(p + i), whose operands are unsequenced.
int main(void) {
    int a[4] = {1, 2, 3, 4};
    int *p = a;
    return p[(p++, 1)]; //~ unsequenced
}
