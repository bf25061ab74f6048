// C11 6.5p2: it does not matter that both assignments store the same value.
int main(void) {
    int i;
    return (i = 1) + (i = 1); //~ unsequenced
}
