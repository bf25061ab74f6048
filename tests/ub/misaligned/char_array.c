// C11 6.3.2.3p7: a char array's second byte is not aligned for int, whatever the first is.
int main(void) {
    _Alignas(8) unsigned char buffer[16] = {0};
    return *(int *)(buffer + 2); //~ misaligned
}
