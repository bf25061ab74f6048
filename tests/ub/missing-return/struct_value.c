// C11 6.9.1p12: a member of a struct that was not returned.
struct s {
    int x;
};
static struct s make(int n) {
    if (n) {
        struct s s = {n};
        return s;
    }
}
int main(void) {
    return make(0).x; //~ missing-return
}
