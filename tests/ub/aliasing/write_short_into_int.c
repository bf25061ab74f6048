// C11 6.5p7: half of an int is written as a short.
int main(void) {
    int x = 0;
    *(short *)&x = 1; //~ aliasing
    return x;
}
