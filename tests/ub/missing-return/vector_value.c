// C11 6.9.1p12: the value of the call is used, and there is none.
typedef int v4si __attribute__((vector_size(16)));
static v4si f(int n) {
    if (n)
        return (v4si){1};
}
int main(void) {
    return f(0)[0]; //~ missing-return
}
