// C11 6.5.2.2p9: one entry of a table has another type.
typedef int handler(int);
static int good(int x) {
    return x;
}
static int bad(long x) {
    return (int)x;
}
static handler *table[2] = {good, (handler *)bad};
int main(void) {
    int sum = 0;
    for (int i = 0; i < 2; i++)
        sum += table[i](i); //~ call-type
    return sum;
}
