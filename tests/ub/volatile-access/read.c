// C11 6.7.3p6: x is defined volatile, the lvalue is not.
int main(void) {
    volatile int x = 1;
    return *(int *)&x; //~ volatile-access
}
