// C11 6.5.7p4: the left operand is negative.
int main(void) {
    int x = -1;
    return x << 1; //~ shift-overflow
}
