// C11 6.3.2.3p6: the address of a function as a number.
static int f(void) {
    return 1;
}
int main(void) {
    return ((unsigned long)f & 0xff0) == 0; //~ address
}
