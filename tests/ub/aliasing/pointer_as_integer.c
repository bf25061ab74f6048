// C11 6.5p7: a pointer object is read as an integer.
int main(void) {
    int *p = 0;
    return *(long *)&p != 0; //~ aliasing
}
