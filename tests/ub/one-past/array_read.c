// C11 6.5.6p8: the element one past the end must not be evaluated.
int main(void) {
    int a[5] = {1, 2, 3, 4, 5};
    int *p = a + 5;
    return *p; //~ one-past
}
