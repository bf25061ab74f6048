// GCC, Vector Extensions: lanes are added as scalars are, and C11 6.5p5 holds for each.
typedef int v4si __attribute__((vector_size(16)));
int main(void) {
    v4si a = {1, 2, 2147483647, 4};
    v4si b = a + 1; //~ signed-overflow
    return b[0];
}
