// C11 6.5.16.2p3: p -= n subtracts.
int main(void) {
    long a[3] = {0};
    long *p = &a[1];
    p -= 2; //~ pointer-arith
    return p == a;
}
