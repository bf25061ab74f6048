// C11 6.5p2: shifts do not order their operands.
int main(void) {
    int i = 3;
    return i << i++; //~ unsequenced
}
