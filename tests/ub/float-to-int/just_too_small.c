// C11 6.3.1.4p1: truncation of this value would be -2147483649.
int main(void) {
    double d = -2147483649.0;
    int i = d; //~ float-to-int
    return i != 0;
}
