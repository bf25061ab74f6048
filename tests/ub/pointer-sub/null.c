// C11 6.5.6p9: a null pointer is in no array.
int main(void) {
    char c = 1;
    char *p = &c, *q = 0;
    return (p - q) != 0; //~ pointer-sub
}
