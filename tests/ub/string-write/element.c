// C11 6.4.5p7: the array of a string literal must not be modified.
int main(void) {
    char *s = "abc";
    s[0] = 'x'; //~ string-write
    return 0;
}
