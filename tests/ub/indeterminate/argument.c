// C11 6.5.2.2p4: the argument's value is assigned to the parameter.
static void ignore(int x) {
    (void)x;
}
int main(void) {
    int x;
    ignore(x); //~ indeterminate
    return 0;
}
