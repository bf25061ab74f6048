// C11 6.4.5p7: the same literals in two functions.
static const char *f(void) {
    return "name";
}
static const char *g(void) {
    return "name";
}
int main(void) {
    const char *p = f(), *q = g();
    return p != q; //~ string-identity
}
