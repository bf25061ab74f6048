// C11 6.5p2: i and j are equal.
int main(void) {
    int a[2] = {1, 2}, i = 1, j = 1;
    return a[i]++ + a[j]; //~ unsequenced
}
