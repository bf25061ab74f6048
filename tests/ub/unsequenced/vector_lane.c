// C11 6.5p2: one operand writes a lane, the other reads the vector.
typedef int v4si __attribute__((vector_size(16)));
int main(void) {
    v4si a = {1, 2, 3, 4};
    v4si b = a + (a[2] = 5); //~ unsequenced
    return b[0];
}
