// C11 6.3.1.1p2: unsigned short is promoted to int, in which the product does not fit.
int main(void) {
    unsigned short x = 65535;
    unsigned y = x * x; //~ signed-overflow
    return y != 0;
}
