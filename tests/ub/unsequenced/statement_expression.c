// C11 6.5p2: a statement expression is an operand like any other.
int main(void) {
    int i = 1;
    return ({ i = 2; i; }) + i; //~ unsequenced
}
