// C11 6.5p2: the index reads i, the right side assigns it.
int main(void) {
    int a[3] = {0}, i = 0;
    a[i] = i = 2; //~ unsequenced
    return 0;
}
