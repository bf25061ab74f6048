// A vector has no lane beyond its last (C11 6.5.6p8 for the array that its lanes are).
typedef int v4si __attribute__((vector_size(16)));
int main(void) {
    v4si a = {1, 2, 3, 4};
    int i = 5;
    return a[i]; //~ out-of-bounds
}
