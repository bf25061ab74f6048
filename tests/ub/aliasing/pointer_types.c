// C11 6.5p7: int * and void * are not compatible types.
int main(void) {
    int x = 1;
    int *p = &x;
    void **q = (void **)&p;
    return *q == 0; //~ aliasing
}
