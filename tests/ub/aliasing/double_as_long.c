// C11 6.5p7: the bits of a double are written through an lvalue of type long.
int main(void) {
    double d = 0.0;
    *(unsigned long *)&d = 1; //~ aliasing
    return d > 0;
}
