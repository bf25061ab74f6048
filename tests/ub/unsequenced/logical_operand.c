// C11 6.5.13p4: && orders its own operands only.
int main(void) {
    int i = 1;
    return (i++ && 1) + i; //~ unsequenced
}
