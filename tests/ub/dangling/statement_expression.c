// C11 6.2.4p6: the block of a statement expression is a block.
int main(void) {
    int *p = ({
        int x = 1;
        int *q = &x;
        q;
    });
    return *p; //~ dangling
}
