// C11 6.5.3.2p4: p->y is (*p).y.
struct s {
    int x, y;
};
int main(void) {
    struct s *p = 0;
    return p->y; //~ null-deref
}
