// C11 6.2.5p14: long and long long are different types, even where they look the same.
int main(void) {
    long x = 1;
    long long *p = (long long *)&x;
    return (int)*p; //~ aliasing
}
