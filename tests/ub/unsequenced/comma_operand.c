// C11 6.5.17p2: the comma orders its own operands only.
int main(void) {
    int i = 1;
    return (i++, 5) + i; //~ unsequenced
}
