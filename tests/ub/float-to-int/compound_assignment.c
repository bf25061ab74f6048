// C11 6.5.16.2p3: the sum is a double that is converted back to int.
int main(void) {
    int i = 2000000000;
    i += 1e9; //~ float-to-int
    return 0;
}
