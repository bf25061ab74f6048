// C11 6.5.6p8: the array is the member, not the struct.
struct s {
    char a[4];
    char b[4];
};
int main(void) {
    struct s s = {"abc", "def"};
    char *p = s.a + 5; //~ pointer-arith
    return *p;
}
