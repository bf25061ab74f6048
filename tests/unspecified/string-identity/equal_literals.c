// C11 6.4.5p7: whether equal literals are one array is unspecified.
int main(void) {
    const char *p = "abc", *q = "abc";
    return p == q; //~ string-identity
}
