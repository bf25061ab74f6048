// C11 6.5p2: two side effects on the pointer p.
int main(void) {
    int a[4] = {1, 2, 3, 4};
    int *p = a;
    return *p++ + *p++; //~ unsequenced
}
