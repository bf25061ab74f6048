// C11 6.5p2: *p is x.
int main(void) {
    int x = 1;
    int *p = &x;
    *p = x++; //~ unsequenced
    return 0;
}
