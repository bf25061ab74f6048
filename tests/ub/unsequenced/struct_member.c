// C11 6.5p2: a member is a scalar object like any other.
struct s {
    int x, y;
};
int main(void) {
    struct s s = {1, 2};
    s.x = s.x++; //~ unsequenced
    return 0;
}
