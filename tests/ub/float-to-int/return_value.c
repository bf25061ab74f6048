// C11 6.8.6.4p3: a returned value is converted as if by assignment.
static short narrow(double d) {
    return d; //~ float-to-int
}
int main(void) {
    return narrow(40000.0);
}
