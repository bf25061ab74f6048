// C11 6.2.6.1p6: copying the struct was fine; its member is still indeterminate.
struct s {
    int x, y;
};
int main(void) {
    struct s s;
    s.x = 1;
    struct s t = s;
    return t.y; //~ indeterminate
}
