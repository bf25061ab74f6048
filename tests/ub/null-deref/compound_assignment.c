// C11 6.5.3.2p4: *p += 1 reads and writes through a null pointer.
static int *p;
int main(void) {
    *p += 1; //~ null-deref
    return 0;
}
