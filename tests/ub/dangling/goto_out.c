// C11 6.2.4p6: leaving a block by goto ends its objects.
int main(void) {
    int *p;
    {
        int x = 1;
        p = &x;
        goto out;
    }
out:
    return *p; //~ dangling
}
