// C11 6.2.6.1p5: a _Bool whose byte is neither 0 nor 1.
union u {
    unsigned char c;
    _Bool b;
};
int main(void) {
    union u u;
    u.c = 2;
    return u.b; //~ trap-value
}
