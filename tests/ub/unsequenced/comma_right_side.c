// C11 6.5.17p2: the comma orders nothing against the left side of the assignment.
struct s {
    int x;
};
int main(void) {
    struct s a = {1}, b = {2}, *p = &a;
    p->x = (p = &b, 5); //~ unsequenced
    return 0;
}
