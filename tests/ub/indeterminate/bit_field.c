// C11 6.3.2.1p2: the neighbouring bit-field was assigned, this one was not.
struct s {
    unsigned a : 4, b : 4;
};
int main(void) {
    struct s s;
    s.a = 3;
    return s.b; //~ indeterminate
}
