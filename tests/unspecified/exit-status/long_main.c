// C11 5.1.2.2.3p1: the type long is not compatible with int, whatever the value.
long main(void) {
    return 0; //~ exit-status
}
