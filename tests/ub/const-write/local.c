// C11 6.7.3p6: x is defined const.
int main(void) {
    const int x = 1;
    *(int *)&x = 2; //~ const-write
    return 0;
}
