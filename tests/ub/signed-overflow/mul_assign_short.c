// C11 6.5.16.2p3: the product is computed in int before it is converted to short.
int main(void) {
    short x = 32767;
    x *= 65539 * 2; //~ signed-overflow
    return 0;
}
