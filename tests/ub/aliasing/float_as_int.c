// C11 6.5p7: the bits of a float are read through an lvalue of type int.
int main(void) {
    float f = 1.0f;
    int *p = (int *)&f;
    return *p >> 23; //~ aliasing
}
