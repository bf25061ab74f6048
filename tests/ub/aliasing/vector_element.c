// C11 6.5p7: a vector of int may be accessed as int (GCC), not as float.
typedef int v4si __attribute__((vector_size(16)));
int main(void) {
    v4si a = {1, 2, 3, 4};
    float *p = (float *)&a;
    return p[1] > 0; //~ aliasing
}
