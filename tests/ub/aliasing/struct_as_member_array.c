// C11 6.5p7: a struct of two longs is read as a struct of other members.
struct a {
    long x, y;
};
struct b {
    int v[4];
};
int main(void) {
    struct a a = {1, 2};
    struct b *b = (struct b *)&a;
    return b->v[0]; //~ aliasing
}
