// C11 6.5.3.2p4: a null pointer to a function designates no function.
int main(void) {
    int (*f)(void) = 0;
    return f(); //~ null-deref
}
