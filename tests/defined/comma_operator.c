// C11 6.5.17: left before right, the value and type of the right, in every position.
#include <stdio.h>
static int log_[10], n;
static int note(int x) {
    log_[n++] = x;
    return x;
}
int main(void) {
    int a = (note(1), note(2), note(3));
    printf("%d %d %d %d\n", a, log_[0], log_[1], log_[2]);
    int b;
    b = 5, a = b + 1;
    printf("%d %d\n", a, b);
    for (int i = 0, j = 9; i < j; i++, j -= 2)
        b += i, b += j;
    printf("%d\n", b);
    int v[3] = {(1, 2), (a, b)};
    printf("%d\n", v[0]);
    printf("%d\n", v[(a = 1, a - 1)]);
    a = 1, b = a++;
    printf("%d %d\n", a, b);
    return 0;
}
