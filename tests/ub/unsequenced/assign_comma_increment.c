// C11 6.5.17p2: the last operand's side effect is not ordered with the assignment.
int main(void) {
    int i = 1;
    i = (i, i++); //~ unsequenced
    return 0;
}
