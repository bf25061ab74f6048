// C11 6.8.4.2p7: the initialiser before the first case is never reached.
int main(void) {
    int n = 1;
    switch (n) {
        int x = 5;
    case 1:
        return x; //~ indeterminate
    }
    return 0;
}
