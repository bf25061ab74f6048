// C11 6.5.9p6: a pointer one past the array may or may not equal a pointer to the next one.
static int a[2], b[2];
int main(void) {
    int *end = a + 2, *next = b;
    if (end != next) //~ pointer-equality
        return 1;
    return 0;
}
