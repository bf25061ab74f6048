// C11 6.3.2.3p5: no function is there.
int main(void) {
    void (*f)(void) = (void (*)(void))4096UL;
    f(); //~ invalid-pointer
    return 0;
}
