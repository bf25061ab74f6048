// C11 6.5.16.2p3 and 6.5p5: x -= y subtracts in int.
int main(void) {
    int a[1] = {-2000000000};
    a[0] -= 2000000000; //~ signed-overflow
    return 0;
}
