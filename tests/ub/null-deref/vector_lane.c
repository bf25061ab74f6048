// C11 6.5.3.2p4: a lane of what a null pointer points to.
typedef int v4si __attribute__((vector_size(16)));
int main(void) {
    v4si *p = 0;
    (*p)[1] = 2; //~ null-deref
    return 0;
}
