// C11 6.7.3p6: x is defined volatile, the lvalue is not.
volatile int x;
int main(void) {
    int *p = (int *)&x;
    *p = 1; //~ volatile-access
    return 0;
}
