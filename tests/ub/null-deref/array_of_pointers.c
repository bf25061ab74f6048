// C11 6.7.9p10: elements of a static array of pointers start out null.
static int *table[3];
int main(void) {
    return *table[1]; //~ null-deref
}
