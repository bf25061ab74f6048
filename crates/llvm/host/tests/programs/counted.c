/* Something to instrument: an item walks it a number of times. */
int walk(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum ^= i;
    return sum;
}
