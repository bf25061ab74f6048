// C11 6.7.3p6: storing the value that is already there is a modification too (3.1 note 2).
int main(void) {
    const int x = 1;
    int *p = (int *)&x;
    *p = 1; //~ const-write
    return 0;
}
