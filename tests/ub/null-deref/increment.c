// C11 6.5.3.2p4: (*p)++ through a null pointer.
int main(void) {
    unsigned char *p = 0;
    (*p)++; //~ null-deref
    return 0;
}
