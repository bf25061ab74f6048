// C11 6.5p2: the conditional expression as a whole is unsequenced with the other operand.
int main(void) {
    int i = 1, c = 1;
    return (c ? i++ : 0) + i; //~ unsequenced
}
