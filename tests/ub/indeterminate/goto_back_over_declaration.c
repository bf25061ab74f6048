// C11 6.2.4p6: going back over the declaration makes the value indeterminate again.
int main(void) {
    int round = 0;
again:;
    int x;
    if (round == 1)
        return x; //~ indeterminate
    x = 3;
    round = x - 2;
    goto again;
}
