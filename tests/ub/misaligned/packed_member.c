// C11 6.3.2.3p7: a plain int pointer to a packed member need not be aligned for int.
struct __attribute__((packed)) s {
    char c;
    int i;
};
int main(void) {
    struct s s = {1, 2};
    int *p = &s.i; return *p; //~ misaligned
}
