// C11 6.5.3.2p4: the whole struct is read through a null pointer.
struct s {
    int a[4];
};
int main(void) {
    struct s *p = 0;
    struct s s = *p; //~ null-deref
    return s.a[0];
}
