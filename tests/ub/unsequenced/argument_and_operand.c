// C11 6.5p2: i is read as an argument and incremented beside the call.
static int id(int x) {
    return x;
}
int main(void) {
    int i = 1;
    return id(i) + i++; //~ unsequenced
}
