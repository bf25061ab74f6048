// What an initialiser of a union does set: the member, all of a static one, all of the largest.
int printf(const char *, ...);
union both {
    short small;
    int large;
};
union wide {
    int large;
    short small;
};
union both still = {7};
int main(void) {
    union both u = {7};
    union wide w = {0x10002};
    static union both here = {9};
    union both zero = {0}, copy = u;
    printf("%d %d %d %d\n", u.small, still.large, here.large, w.small);
    printf("%d %d\n", zero.small, copy.small);
    zero.large = 70000;
    printf("%d\n", zero.large);
    return 0;
}
