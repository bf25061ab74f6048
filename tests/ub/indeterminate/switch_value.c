// C11 6.8.4.2p5: the controlling expression is read.
int main(void) {
    int x;
    switch (x) { //~ indeterminate
    default:
        return 0;
    }
}
