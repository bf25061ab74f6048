// C11 6.5p5: nobody looks at the lane that overflows.
typedef int v4si __attribute__((vector_size(16)));
int main(void) {
    v4si a = {0, 0, 0, 65536};
    return (a * a)[0]; //~ signed-overflow
}
