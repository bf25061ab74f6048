// C11 6.5p2: the index of a compound assignment.
int main(void) {
    int a[3] = {1, 2, 3}, i = 1;
    a[i] += i--; //~ unsequenced
    return 0;
}
