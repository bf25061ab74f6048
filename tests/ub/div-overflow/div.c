// C11 6.5.5p6: the quotient of the smallest int and -1 does not fit int.
int main(void) {
    int x = -2147483647 - 1, y = -1;
    return x / y; //~ div-overflow
}
