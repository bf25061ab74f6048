// C11 6.5.16p3: two side effects on i.
int main(void) {
    int i = 1;
    i += i += 2; //~ unsequenced
    return 0;
}
