// C11 6.2.4p6: each time the declaration is reached, the value becomes indeterminate.
int main(void) {
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        int x;
        if (i == 0)
            x = 5;
        sum += x; //~ indeterminate
    }
    return sum;
}
