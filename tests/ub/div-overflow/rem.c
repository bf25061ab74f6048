// C11 6.5.5p6: where a/b is not representable, a%b is undefined too.
int main(void) {
    int x = -2147483647 - 1, y = -1;
    return x % y; //~ div-overflow
}
