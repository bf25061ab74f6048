// C11 6.5.16.1p3: source and target overlap, and not exactly.
struct pair {
    int a, b;
};
union u {
    struct {
        struct pair p;
        int last;
    } x;
    struct {
        int first;
        struct pair p;
    } y;
};
int main(void) {
    union u u = {{{1, 2}, 3}};
    u.y.p = u.x.p; //~ overlap
    return 0;
}
