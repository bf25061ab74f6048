// C11 6.5.6p8: a[5] is one past the end.
int main(void) {
    int a[5] = {1, 2, 3, 4, 5};
    int i = 5;
    a[i] = 6; //~ one-past
    return 0;
}
