// C11 6.2.4p6: each call has its own x; the deepest one's is gone.
static int *deepest;
static void descend(int n) {
    int x = n;
    if (n == 0)
        deepest = &x;
    else
        descend(n - 1);
}
int main(void) {
    descend(3);
    return *deepest; //~ dangling
}
