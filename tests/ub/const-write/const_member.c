// C11 6.7.3p6: the member is const, though the struct is not.
struct s {
    int a;
    const int b;
};
int main(void) {
    struct s s = {1, 2};
    int *p = (int *)&s.b;
    *p = 3; //~ const-write
    return 0;
}
