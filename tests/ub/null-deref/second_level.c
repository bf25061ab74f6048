// C11 6.5.3.2p4: the pointer that is pointed to is null.
int main(void) {
    int *p = 0;
    int **q = &p;
    return **q; //~ null-deref
}
