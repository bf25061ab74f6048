// C11 6.5.16.2p3: x += 1 reads x.
int main(void) {
    unsigned long x;
    x += 1; //~ indeterminate
    return 0;
}
