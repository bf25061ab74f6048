// C11 6.5.2.2p6: fputs is declared without a prototype and takes two arguments.
int fputs();
int main(void) {
    return fputs("x"); //~ call-args
}
