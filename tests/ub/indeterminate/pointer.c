// C11 6.3.2.1p2: the pointer itself was never given a value.
int main(void) {
    int *p;
    return *p; //~ indeterminate
}
