// C11 6.3.2.3p5: a pointer made from an integer points to no object of the program.
int main(void) {
    int *p = (int *)0x12345678UL;
    *p = 1; //~ invalid-pointer
    return 0;
}
