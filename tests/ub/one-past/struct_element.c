// C11 6.5.6p8: a member of the element one past the end.
struct s {
    int a, b;
};
int main(void) {
    struct s v[2] = {{1, 2}, {3, 4}};
    struct s *p = &v[1];
    p++;
    return p->b; //~ one-past
}
