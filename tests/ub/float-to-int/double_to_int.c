// C11 6.3.1.4p1: the integral part does not fit int.
int main(void) {
    double d = 1e10;
    return (int)d; //~ float-to-int
}
