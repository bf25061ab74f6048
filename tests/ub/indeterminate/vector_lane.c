// C11 6.3.2.1p2: a lane was never set, and the whole vector is read.
typedef int v4si __attribute__((vector_size(16)));
int main(void) {
    v4si a;
    a[0] = a[1] = a[3] = 1;
    v4si b = a; //~ indeterminate
    return b[0];
}
