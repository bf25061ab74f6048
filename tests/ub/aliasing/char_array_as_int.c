// C11 6.5p7: characters may look into anything, but nothing else may look into characters.
int main(void) {
    _Alignas(int) unsigned char bytes[4] = {1, 0, 0, 0};
    return *(int *)bytes; //~ aliasing
}
