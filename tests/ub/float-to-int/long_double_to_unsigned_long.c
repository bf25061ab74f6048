// C11 6.3.1.4p1: 2 to the power 64 does not fit.
int main(void) {
    long double d = 18446744073709551616.0L;
    unsigned long u = d; //~ float-to-int
    return u != 0;
}
