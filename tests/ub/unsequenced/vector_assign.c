// C11 6.5p2: the store to the vector and the one to its lane are unsequenced.
typedef int v4si __attribute__((vector_size(16)));
int main(void) {
    v4si a = {1, 2, 3, 4}, b = a;
    a = b + (a[1] = 7); //~ unsequenced
    return a[0];
}
