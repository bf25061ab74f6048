// C11 6.3.1.1p2: a narrow unsigned bit-field is promoted to int, so it can overflow.
struct s {
    unsigned f : 3;
};
int main(void) {
    struct s s = {7};
    return (s.f << 29) != 0; //~ shift-overflow
}
