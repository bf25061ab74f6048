// C11 6.5.6p7: a scalar counts as an array of one element.
int main(void) {
    int x = 1;
    int *p = &x;
    p++;
    return *p; //~ one-past
}
