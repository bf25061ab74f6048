// C11 6.9.1p12: the value decides a branch.
static int test(int x) {
    switch (x) {
    case 1:
        return 1;
    }
}
int main(void) {
    if (test(2)) //~ missing-return
        return 1;
    return 0;
}
