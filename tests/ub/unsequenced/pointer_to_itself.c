// C11 6.5p2: p points to i.
static int write(int *p) {
    return *p + (*p = 3); //~ unsequenced
}
int main(void) {
    int i = 1;
    return write(&i);
}
