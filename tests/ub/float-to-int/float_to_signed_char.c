// C11 6.3.1.4p1: the target is signed char, not int.
int main(void) {
    float f = 300.0f;
    signed char c = f; //~ float-to-int
    return c;
}
