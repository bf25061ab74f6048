// C11 6.7.9p11: an initialiser is converted as if by assignment.
int main(void) {
    float f = -0x1p63f * 1.5f;
    long a[2] = {1, f}; //~ float-to-int
    return a[0] != 1;
}
