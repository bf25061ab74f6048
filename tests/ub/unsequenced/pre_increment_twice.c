// C11 6.5p2: two side effects on i.
int main(void) {
    int i = 1;
    return ++i + ++i; //~ unsequenced
}
