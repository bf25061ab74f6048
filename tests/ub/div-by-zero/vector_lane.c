// C11 6.5.5p5 for each lane: those that an initialiser leaves out are zero.
typedef int v4si __attribute__((vector_size(16)));
int main(void) {
    v4si a = {4, 4, 4, 4};
    v4si b = {1, 2, 3};
    return (a / b)[0]; //~ div-by-zero
}
