// C11 6.7.3p6: the vector is const, and so are its lanes.
typedef int v4si __attribute__((vector_size(16)));
static const v4si a = {1, 2, 3, 4};
int main(void) {
    v4si *p = (v4si *)&a;
    (*p)[1] = 2; //~ const-write
    return 0;
}
