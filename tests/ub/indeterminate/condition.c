// C11 6.3.2.1p2: the condition reads x.
int main(void) {
    int x;
    if (x) //~ indeterminate
        return 1;
    return 0;
}
