// C11 6.5p7: half of an int is read as a short.
int main(void) {
    int x = 0x10002;
    short *p = (short *)&x;
    return p[0]; //~ aliasing
}
