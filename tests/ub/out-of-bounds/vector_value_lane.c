// The lanes of a value that is no object are bounded too.
typedef int v4si __attribute__((vector_size(16)));
int main(void) {
    v4si a = {1, 2, 3, 4};
    int i = 7;
    return (a + a)[i]; //~ out-of-bounds
}
