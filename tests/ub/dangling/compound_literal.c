// C11 6.5.2.5p5: a compound literal in a block lives as long as the block.
int main(void) {
    int *p;
    {
        p = (int[]){1, 2, 3};
    }
    return p[1]; //~ dangling
}
