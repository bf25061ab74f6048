// C11 6.5.7p3: a char is promoted to int, of width 32 and not more.
int main(void) {
    unsigned char x = 1;
    return x << 33; //~ shift-count
}
