// C11 6.3.2.1p2: a _Bool variable.
int main(void) {
    _Bool b;
    return b ? 1 : 0; //~ indeterminate
}
