// C11 6.2.4p6: leaving a block by break ends its objects.
int main(void) {
    int *p = 0;
    while (1) {
        int x = 1;
        p = &x;
        break;
    }
    return *p; //~ dangling
}
