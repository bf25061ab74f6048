// A lane before the first, in a vector that is not the first of its array.
typedef int v4si __attribute__((vector_size(16)));
int main(void) {
    v4si a[2] = {{1}, {2}};
    int i = -1;
    a[1][i] = 3; //~ out-of-bounds
    return 0;
}
