// C11 6.2.4p6: jumping back before the block ends x; entering it again makes another.
int main(void) {
    int *p = 0;
    int round = 0;
again:
    if (round == 1)
        return *p; //~ dangling
    {
        int x = 7;
        p = &x;
        round++;
        goto again;
    }
}
