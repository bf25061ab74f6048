// C11 6.4.5p7: one literal may be the tail of another.
int main(void) {
    const char *p = "abc", *q = "xabc";
    return p == q + 1; //~ string-identity
}
