// C11 6.5p7: _Bool is not a character type.
int main(void) {
    unsigned char c = 1;
    _Bool *p = (_Bool *)&c;
    return *p; //~ aliasing
}
