// C11 6.5.6p8: after the terminating zero.
int main(void) {
    const char *s = "abc";
    return s[4]; //~ one-past
}
