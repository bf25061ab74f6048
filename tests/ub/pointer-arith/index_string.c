// C11 6.4.5p6: a literal's array ends with its terminating zero.
int main(void) {
    const char *s = "abc";
    return s[9]; //~ pointer-arith
}
