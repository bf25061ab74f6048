// C11 6.7.3p6: one member is volatile.
struct s {
    int a;
    volatile int b;
};
int main(void) {
    struct s s = {1, 2};
    int *p = (int *)&s.b;
    return *p; //~ volatile-access
}
