// C11 6.5p2: p and q point to the same object.
int main(void) {
    int x = 1;
    int *p = &x, *q = &x;
    return (*p)++ + *q; //~ unsequenced
}
