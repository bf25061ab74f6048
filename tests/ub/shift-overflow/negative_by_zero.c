// C11 6.5.7p4: a negative left operand is undefined for any count.
int main(void) {
    int x = -1, n = 0;
    return x << n; //~ shift-overflow
}
