// C11 6.8.6.1: jumps into, out of and within loops and blocks.
#include <stdio.h>
static int search(int limit, int product) {
    int i, j;
    for (i = 1; i < limit; i++)
        for (j = i; j < limit; j++)
            if (i * j == product)
                goto found;
    return -1;
found:
    return i * 100 + j;
}
static int into_loop(int n) {
    int sum = 0, i = n;
    goto middle;
    while (i < 10) {
        sum += 100;
    middle:
        sum += i++;
    }
    return sum;
}
static int into_block(int skip) {
    int r = 0;
    if (skip)
        goto inside;
    r = 1;
    {
        int x;
        r += 10;
    inside:
        x = 5;
        r += x;
    }
    return r;
}
int main(void) {
    printf("%d %d\n", search(10, 42), search(5, 97));
    printf("%d %d\n", into_loop(8), into_loop(20));
    printf("%d %d\n", into_block(0), into_block(1));
    int n = 0;
again:
    n++;
    if (n < 5)
        goto again;
    printf("%d\n", n);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (j == 2)
                goto next;
            if (i == 1)
                continue;
            printf("%d%d ", i, j);
        }
    next:;
    }
    printf("\n");
    int state = 0;
    goto b;
a:
    state += 1;
    goto c;
b:
    state += 10;
    goto a;
c:
    printf("%d\n", state);
    do {
        if (state++ > 12)
            goto done;
    } while (1);
done:
    printf("%d\n", state);
    return 0;
}
