// C11 6.3.2.1p2: a floating variable.
int main(void) {
    double d;
    double e = d * 0.0; //~ indeterminate
    return e != 0.0;
}
