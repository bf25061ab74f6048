// C11 6.5p2: the character lvalue accesses a byte of x.
int main(void) {
    int x = 1;
    unsigned char *p = (unsigned char *)&x;
    return *p + (x = 2); //~ unsequenced
}
