// C11 6.5.2.2p9: the return types int and long are not compatible.
static int one(void) {
    return 1;
}
int main(void) {
    long (*f)(void) = (long (*)(void))one;
    return (int)f(); //~ call-type
}
