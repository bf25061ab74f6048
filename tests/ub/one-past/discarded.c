// C11 6.5.6p8: the * in a[4] is evaluated although nobody wants the value.
int main(void) {
    int a[4] = {0}, i = 4;
    return (a[i], 0); //~ one-past
}
