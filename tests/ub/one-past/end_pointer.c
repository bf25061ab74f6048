// C11 6.5.6p8: the end pointer may be compared with, but not dereferenced.
static int a[3] = {1, 2, 3};
int main(void) {
    int sum = 0;
    for (int *p = a, *end = a + 3; p <= end; p++)
        sum += *p; //~ one-past
    return sum;
}
