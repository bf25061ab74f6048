// C11 6.2.4p8: the array in a returned struct lives until the end of the full expression.
struct s {
    int a[2];
};
static struct s make(void) {
    struct s s = {{1, 2}};
    return s;
}
int main(void) {
    int *p = make().a;
    return *p; //~ dangling
}
