// A lane is not promoted: 127 + 1 does not fit signed char (GCC's sanitizer reports it too).
typedef signed char v8qi __attribute__((vector_size(8)));
int main(void) {
    v8qi a = {1, 2, 3, 127};
    a += (v8qi){0, 0, 0, 1}; //~ signed-overflow
    return a[0];
}
