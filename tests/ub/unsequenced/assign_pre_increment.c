// C11 6.5.16p3: the assignment follows the value of ++i, but not its side effect.
int main(void) {
    int i = 1;
    i = ++i; //~ unsequenced
    return 0;
}
