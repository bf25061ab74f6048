// C11 6.7.3p6: here the pointer is const, not what it points to.
int main(void) {
    int x = 1, y = 2;
    int *const p = &x;
    *(int **)&p = &y; //~ const-write
    return 0;
}
