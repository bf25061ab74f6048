// C11 6.3.2.3p7: a character pointer to an object reaches its bytes and no others.
int main(void) {
    long x = 1;
    unsigned char *p = (unsigned char *)&x;
    return p[12]; //~ pointer-arith
}
