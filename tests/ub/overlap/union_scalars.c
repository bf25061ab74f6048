// C11 6.5.16.1p3: the short is read from an int that it overlaps inexactly.
union u {
    int i;
    short s;
};
int main(void) {
    union u u = {1};
    u.s = u.i; //~ overlap
    return 0;
}
