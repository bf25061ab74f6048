// C11 6.3.2.3p5: a pointer made from an integer points to no object of the program.
int main(void) {
    char *p = (char *)1;
    return *p; //~ invalid-pointer
}
