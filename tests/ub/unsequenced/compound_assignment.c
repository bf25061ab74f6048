// C11 6.5.16.2p3: i += reads i, and i++ writes it.
int main(void) {
    int i = 1;
    i += i++; //~ unsequenced
    return 0;
}
