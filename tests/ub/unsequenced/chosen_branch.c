// C11 6.5.15p4: there is a sequence point after the condition, but none within the operand.
int main(void) {
    int i = 1, c = 1;
    return c ? i++ + i : 0; //~ unsequenced
}
