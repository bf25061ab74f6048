// C11 6.5p7: away from the union, a float lvalue does not reach the int that was stored.
union u {
    int i;
    float f;
};
static float read(float *p) {
    return *p; //~ aliasing
}
int main(void) {
    union u u;
    u.i = 1;
    return read(&u.f) > 0;
}
