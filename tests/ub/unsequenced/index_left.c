// C11 6.5p2 (footnote 84): i++ in the index and the read of i.
int main(void) {
    int a[3] = {0}, i = 0;
    a[i++] = i; //~ unsequenced
    return 0;
}
