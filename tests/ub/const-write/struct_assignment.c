// C11 6.7.3p6: the whole of a const struct is assigned.
struct s {
    int a, b;
};
static const struct s s = {1, 2};
int main(void) {
    struct s t = {3, 4};
    *(struct s *)&s = t; //~ const-write
    return 0;
}
