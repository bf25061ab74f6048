// C11 6.5p7: two structs with the same members are not compatible.
struct a {
    int x, y;
};
struct b {
    int x, y;
};
int main(void) {
    struct a a = {1, 2};
    struct b b = *(struct b *)&a; //~ aliasing
    return b.x;
}
