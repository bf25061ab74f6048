// C11 6.5.13p4: the second operand is evaluated, as the first is true.
int main(void) {
    int x = 1, y;
    return x && y; //~ indeterminate
}
