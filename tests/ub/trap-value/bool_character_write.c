// C11 6.2.6.1p5: written through a character lvalue, read as _Bool.
struct s {
    int n;
    _Bool flag;
};
int main(void) {
    struct s s = {1, 1};
    ((unsigned char *)&s)[4] = 7;
    return s.n + s.flag; //~ trap-value
}
