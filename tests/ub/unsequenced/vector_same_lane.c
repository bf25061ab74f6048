// C11 6.5p2: two writes of one lane.
typedef int v4si __attribute__((vector_size(16)));
int main(void) {
    v4si a = {1, 2, 3, 4};
    int i = 1, j = 1;
    return (a[i] = 1) + (a[j] = 2); //~ unsequenced
}
