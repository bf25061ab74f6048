// C11 6.5.16.2p3 and 6.5p5: x += y adds in int.
int main(void) {
    int x = 2000000000;
    x += 2000000000; //~ signed-overflow
    return 0;
}
