// C11 6.5p5: static storage changes nothing.
static int counter = 2147483646;
static void tick(void) {
    counter++; //~ signed-overflow
}
int main(void) {
    tick();
    tick();
    return 0;
}
