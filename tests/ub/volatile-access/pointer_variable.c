// C11 6.7.3p6: the pointer is volatile, not what it points to.
int main(void) {
    int x = 1;
    int *volatile p = &x;
    int **q = (int **)&p;
    return **q; //~ volatile-access
}
