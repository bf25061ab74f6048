// C11 6.3.2.3p6: the pointer's bytes as a number, through a union.
union u {
    int *p;
    unsigned long n;
};
static int x;
int main(void) {
    union u u;
    u.p = &x;
    return u.n % 3 == 0; //~ address
}
