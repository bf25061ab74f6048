// C11 6.3.1.1p2: an unsigned bit-field narrower than int is promoted to int.
struct s {
    unsigned f : 31;
};
int main(void) {
    struct s s = {0x7fffffff};
    return (s.f + 1) < 0; //~ signed-overflow
}
