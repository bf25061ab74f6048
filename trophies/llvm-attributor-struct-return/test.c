/* Expected: FFFFFFFF
   Instead:  the program dies of signal 11 */
int printf(const char *, ...);
struct a {
    int b;
    long c;
    int d;
};
struct a e;
int **f;

static inline struct a g(int ***h) {
    return e;
}

int main() {
    g(&f);
    printf("%X", ~0);
}
