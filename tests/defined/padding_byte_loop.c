// C11 6.2.6.1p4, p6: padding bytes may be copied one by one; nothing depends on their values.
#include <stdio.h>
struct s {
    char c;
    int i;
    short s;
};
static void copy(void *to, const void *from, unsigned long n) {
    unsigned char *t = to;
    const unsigned char *f = from;
    while (n-- > 0)
        *t++ = *f++;
}
int main(void) {
    struct s a = {'a', 5, 7}, b;
    copy(&b, &a, sizeof a);
    printf("%c %d %d\n", b.c, b.i, b.s);
    return 0;
}
