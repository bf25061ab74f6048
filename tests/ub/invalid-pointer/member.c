// C11 6.3.2.3p5: p->b of a pointer made from an integer.
struct s {
    int a, b;
};
int main(void) {
    unsigned long address = 64;
    struct s *p = (struct s *)address;
    return p->b; //~ invalid-pointer
}
