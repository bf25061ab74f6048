// C11 6.5p7: floats are no lanes of a vector of int.
typedef int v4si __attribute__((vector_size(16)));
int main(void) {
    float f[4] __attribute__((aligned(16))) = {1, 2, 3, 4};
    v4si a = *(v4si *)f; //~ aliasing
    return a[0];
}
