// C11 6.5.16p3: the outer assignment follows the inner one's value, but not its side effect.
int main(void) {
    int x = 0;
    x = (x = 1); //~ unsequenced
    return 0;
}
