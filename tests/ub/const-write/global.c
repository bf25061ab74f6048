// C11 6.7.3p6: x is defined const.
const long x = 1;
int main(void) {
    long *p = (long *)&x;
    (*p)++; //~ const-write
    return 0;
}
