// C11 6.5p2: the same with an addition in between.
int main(void) {
    int i = 1;
    i = i++ + 1; //~ unsequenced
    return 0;
}
