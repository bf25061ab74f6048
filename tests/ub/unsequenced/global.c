// C11 6.5p2: static storage changes nothing.
static int g = 3;
int main(void) {
    return g-- - g; //~ unsequenced
}
