// C11 6.5.3.2p4: the whole struct is written through a null pointer.
struct s {
    int a[4];
};
int main(void) {
    struct s s = {{1, 2, 3, 4}};
    struct s *p = 0;
    *p = s; //~ null-deref
    return 0;
}
