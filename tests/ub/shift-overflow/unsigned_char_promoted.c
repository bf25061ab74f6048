// C11 6.5.7p4: an unsigned char is promoted to int; 255 times 2 to the power 24 does not fit.
int main(void) {
    unsigned char x = 255;
    unsigned y = x << 24; //~ shift-overflow
    return y != 0;
}
