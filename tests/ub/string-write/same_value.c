// C11 6.4.5p7: storing the same character is a modification too.
int main(void) {
    char *s = "abc";
    s[3] = '\0'; //~ string-write
    return 0;
}
