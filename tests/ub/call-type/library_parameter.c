// C11 7.1.4p2, 6.5.2.2p9: malloc takes a size_t and returns a void pointer.
int malloc(int);
int main(void) {
    return malloc(1) == 0; //~ call-type
}
