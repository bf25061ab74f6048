// C11 6.2.4p6: a jump past a declaration skips its initialiser.
int main(void) {
    goto skip;
    int x = 5;
skip:
    return x; //~ indeterminate
}
