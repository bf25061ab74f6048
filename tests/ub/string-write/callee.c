// C11 6.4.5p7: the callee cannot know.
static void upper(char *s) {
    *s = 'A'; //~ string-write
}
int main(void) {
    upper("abc");
    return 0;
}
