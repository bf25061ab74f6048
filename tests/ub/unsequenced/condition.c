// C11 6.5p2: in the controlling expression of a loop.
int main(void) {
    int i = 3, n = 0;
    while (i-- > i - 5) //~ unsequenced
        n++;
    return n;
}
