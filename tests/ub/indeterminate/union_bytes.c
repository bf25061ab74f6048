// C11 6.2.6.1p7: only one byte of the int was ever written.
union u {
    char c;
    int i;
};
int main(void) {
    union u u;
    u.c = 1;
    return u.i; //~ indeterminate
}
