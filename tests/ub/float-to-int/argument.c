// C11 6.5.2.2p7: arguments are converted as if by assignment.
static int id(int x) {
    return x;
}
int main(void) {
    double d = 3e9;
    return id(d); //~ float-to-int
}
