// C11 6.5p7: an int is read through an lvalue of type float.
int main(void) {
    int x = 1;
    float f = *(float *)&x; //~ aliasing
    return f > 0;
}
