// C11 6.5.6p8: s.a[2] is one past the member; that s.b is there does not help.
struct s {
    int a[2];
    int b;
};
int main(void) {
    struct s s = {{1, 2}, 3};
    int i = 2;
    s.a[i] = 4; //~ one-past
    return 0;
}
