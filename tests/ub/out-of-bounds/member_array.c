// C11 6.5.6p8: s.a[3] leaves the member, though not the struct.
struct s {
    int a[2];
    int b, c;
};
int main(void) {
    struct s s = {{1, 2}, 3, 4};
    int i = 3;
    return s.a[i]; //~ out-of-bounds
}
