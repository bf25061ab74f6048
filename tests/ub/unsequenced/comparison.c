// C11 6.5p2: comparisons do not order their operands.
int main(void) {
    int i = 3;
    return i++ == i; //~ unsequenced
}
