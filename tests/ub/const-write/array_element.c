// C11 6.7.3p9: a const array has const elements.
static const char text[4] = "abc";
int main(void) {
    char *p = (char *)text;
    p[1] = 'x'; //~ const-write
    return 0;
}
