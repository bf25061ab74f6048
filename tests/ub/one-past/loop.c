// C11 6.5.6p8: the classic loop that goes once too often.
int main(void) {
    int a[4] = {1, 2, 3, 4};
    int sum = 0;
    for (int i = 0; i <= 4; i++)
        sum += a[i]; //~ one-past
    return sum;
}
