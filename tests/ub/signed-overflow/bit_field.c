// C11 6.3.1.1p2: a bit-field of int's width is promoted to int.
struct s {
    int f : 32;
};
int main(void) {
    struct s s = {2147483647};
    s.f++; //~ signed-overflow
    return 0;
}
