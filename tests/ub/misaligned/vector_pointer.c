// C11 6.3.2.3p7: a vector is aligned as its size.
typedef int v4si __attribute__((vector_size(16)));
int main(void) {
    int a[8] __attribute__((aligned(16))) = {1, 2, 3, 4, 5, 6, 7, 8};
    v4si *p = (v4si *)(a + 1); //~ misaligned
    return (*p)[0];
}
