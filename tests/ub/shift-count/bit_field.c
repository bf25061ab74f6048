// C11 6.5.7p3: a bit-field is promoted to int first.
struct s {
    unsigned f : 5;
};
int main(void) {
    struct s s = {31};
    int n = s.f + 1;
    return s.f >> n; //~ shift-count
}
