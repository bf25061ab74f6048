// C11 6.5.2.1p2: the two subscripts are unsequenced.
int main(void) {
    int m[2][2] = {{1, 2}, {3, 4}}, i = 0;
    return m[i++][i]; //~ unsequenced
}
