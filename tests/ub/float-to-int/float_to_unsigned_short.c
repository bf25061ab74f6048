// C11 6.3.1.4p1: 65536 is one too much.
int main(void) {
    float f = 65536.0f;
    unsigned short s = (unsigned short)f; //~ float-to-int
    return s;
}
