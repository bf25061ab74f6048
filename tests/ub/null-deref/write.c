// C11 6.5.3.2p4: writing through a null pointer.
int main(void) {
    char *p = (void *)0;
    *p = 1; //~ null-deref
    return 0;
}
