// C11 6.7.6.3p15: a variadic and a fixed type are not compatible.
int printf(const char *, int);
int main(void) {
    printf("%d\n", 1); //~ call-type
    return 0;
}
