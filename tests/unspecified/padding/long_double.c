// C11 6.2.6.1p6: x87 values have ten bytes; the rest of the object is padding.
int main(void) {
    long double d = 1.0L;
    unsigned char *p = (unsigned char *)&d;
    return p[12]; //~ padding
}
