// C11 6.5p7: a parameter is an object with a declared type.
static int bits(float f) {
    return *(int *)&f; //~ aliasing
}
int main(void) {
    return bits(2.0f) == 0;
}
