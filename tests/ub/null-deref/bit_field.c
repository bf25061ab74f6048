// C11 6.5.3.2p4: a bit-field of a null struct.
struct s {
    unsigned a : 3, b : 7;
};
int main(void) {
    struct s *p = 0;
    p->b = 5; //~ null-deref
    return 0;
}
