// C11 6.5.7p4: a negative short is a negative int after promotion.
int main(void) {
    short x = -2;
    x <<= 1; //~ shift-overflow
    return 0;
}
