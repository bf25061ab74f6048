// C11 6.5.2.2p6: a variadic function is called without a prototype in scope.
int printf();
int main(void) {
    printf("%d\n", 1); //~ call-args
    return 0;
}
