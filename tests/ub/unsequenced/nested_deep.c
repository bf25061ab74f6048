// C11 6.5p2: the two are far apart in one expression.
int main(void) {
    int i = 3, j = 2;
    return ((i + j) * (j + 1)) - (((j ^ 5) & (i = 4)) | 1); //~ unsequenced
}
