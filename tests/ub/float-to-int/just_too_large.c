// C11 6.3.1.4p1: 2 to the power 31 is the first that does not fit int.
int main(void) {
    double d = 2147483648.0;
    int i = d; //~ float-to-int
    return i != 0;
}
