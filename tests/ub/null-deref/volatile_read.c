// C11 6.5.3.2p4: a volatile lvalue is no exception.
int main(void) {
    volatile int *p = 0;
    return *p; //~ null-deref
}
