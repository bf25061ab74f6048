// C11 6.5.7p4: an unsigned short is promoted to int.
int main(void) {
    unsigned short x = 0x8000;
    unsigned long y = (unsigned long)(x << 16); //~ shift-overflow
    return y != 0;
}
