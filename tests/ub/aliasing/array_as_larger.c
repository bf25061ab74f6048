// C11 6.5p7: two ints are not a long.
int main(void) {
    _Alignas(long) int a[2] = {1, 2};
    return *(long *)a != 0; //~ aliasing
}
