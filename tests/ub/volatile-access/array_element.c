// C11 6.7.3p9: a volatile array has volatile elements.
static volatile long a[3];
int main(void) {
    long *p = (long *)a;
    p[1]++; //~ volatile-access
    return 0;
}
