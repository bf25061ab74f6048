// C11 6.2.4p6: each iteration has a new x; p points to the previous one.
int main(void) {
    int *p = 0;
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        int x = i;
        if (i == 1)
            sum += *p; //~ dangling
        p = &x;
    }
    return sum;
}
