// C11 6.7.3p6: a const parameter is a const object.
static int set(const int x) {
    int *p = (int *)&x;
    *p = 5; //~ const-write
    return x;
}
int main(void) {
    return set(1);
}
