// C11 6.5.16.2p3: p += n adds.
int main(void) {
    char a[10] = {0};
    char *p = a;
    p += 11; //~ pointer-arith
    return p == a;
}
