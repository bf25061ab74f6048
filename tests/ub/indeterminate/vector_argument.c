// C11 6.3.2.1p2: the value of an argument is read.
typedef int v4si __attribute__((vector_size(16)));
static int first(v4si v) {
    return v[0];
}
int main(void) {
    v4si a;
    a[0] = 0;
    return first(a); //~ indeterminate
}
