// C11 6.7.3p6: the struct is volatile, so its members are.
struct s {
    int a, b;
};
static volatile struct s s = {1, 2};
int main(void) {
    struct s *p = (struct s *)&s;
    return p->b; //~ volatile-access
}
