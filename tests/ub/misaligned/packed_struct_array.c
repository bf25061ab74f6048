// C11 6.3.2.3p7: the second element of a packed array is at an odd address.
struct inner {
    long l;
};
struct __attribute__((packed)) outer {
    struct inner in;
    char c;
};
int main(void) {
    struct outer v[2] = {{{1}, 2}, {{3}, 4}};
    struct inner *p = &v[1].in; return (int)p->l; //~ misaligned
}
