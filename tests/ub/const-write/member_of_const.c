// C11 6.7.3p6: the struct is const, so its members are.
struct s {
    int a, b;
};
int main(void) {
    const struct s s = {1, 2};
    struct s *p = (struct s *)&s;
    p->b = 3; //~ const-write
    return 0;
}
