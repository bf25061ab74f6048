// C11 6.3.2.1p2: a long double variable.
int main(void) {
    long double d;
    return d > 0; //~ indeterminate
}
