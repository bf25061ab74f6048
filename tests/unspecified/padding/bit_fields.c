// C11 6.2.6.1p6: the bits that no bit-field occupies.
struct s {
    unsigned a : 3;
    unsigned b : 2;
};
int main(void) {
    struct s s;
    s.a = 1;
    s.b = 2;
    return *(unsigned char *)&s == 17; //~ padding
}
