// C11 6.5p2 (footnote 84): the read of i for the index and i++.
int main(void) {
    int a[3] = {0}, i = 0;
    a[i] = i++; //~ unsequenced
    return 0;
}
