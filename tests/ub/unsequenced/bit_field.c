// C11 6.5p2: a bit-field is a scalar object.
struct s {
    unsigned a : 5, b : 5;
};
int main(void) {
    struct s s = {1, 2};
    s.b = s.b++; //~ unsequenced
    return 0;
}
