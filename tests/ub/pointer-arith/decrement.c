// C11 6.5.3.1p3: a loop that runs down to and including the first element.
int main(void) {
    int a[3] = {1, 2, 3};
    int sum = 0;
    for (int *p = a + 2; p >= a; --p) //~ pointer-arith
        sum += *p;
    return sum;
}
