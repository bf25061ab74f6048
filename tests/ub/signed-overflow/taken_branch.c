// C11 6.5.15p4: only the operand that is chosen is evaluated; here it overflows.
int main(void) {
    int x = 2147483647;
    return x > 0 ? x + 1 : 0; //~ signed-overflow
}
