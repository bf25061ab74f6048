// C11 6.5.3.2p4: reading through a null pointer.
int main(void) {
    int *p = 0;
    return *p; //~ null-deref
}
