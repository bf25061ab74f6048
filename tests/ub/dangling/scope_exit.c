// C11 6.2.4p6: x lives until its block is left.
int main(void) {
    int *p;
    {
        int x = 1;
        p = &x;
    }
    return *p; //~ dangling
}
