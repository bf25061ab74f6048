// C11 6.3.2.1p2: one member was assigned, the other was not.
struct s {
    int x, y;
};
int main(void) {
    struct s s;
    s.x = 1;
    return s.y; //~ indeterminate
}
