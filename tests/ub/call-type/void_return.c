// C11 6.5.2.2p9: the value is not even used, but the types are not compatible.
static int one(void) {
    return 1;
}
int main(void) {
    void (*f)(void) = (void (*)(void))one;
    f(); //~ call-type
    return 0;
}
