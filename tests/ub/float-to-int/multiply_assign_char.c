// C11 6.5.16.2p3: the product is a float that is converted back to unsigned char.
int main(void) {
    unsigned char c = 200;
    c *= 1.5f; //~ float-to-int
    return 0;
}
