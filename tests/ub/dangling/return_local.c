// C11 6.2.4p6: the callee's variable is gone.
static int *local(void) {
    int x = 1;
    int *p = &x;
    return p;
}
int main(void) {
    int *p = local();
    return *p; //~ dangling
}
