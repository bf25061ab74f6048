// C11 6.5.8p5: two string literals.
int main(void) {
    const char *p = "abc", *q = "xyz";
    return p < q; //~ pointer-compare
}
