// C11 6.4.5p7: incrementing an element modifies it.
int main(void) {
    char *s = "abc";
    ++*s; //~ string-write
    return 0;
}
