// C11 6.4.5, 6.7.9p14: literals, arrays initialised by them, escapes, concatenation.
#include <stdio.h>
#include <string.h>
static char global[] = "global";
static const char *words[] = {"zero", "one", "two"};
static char grid[2][4] = {"ab", "cde"};
int main(void) {
    char a[] = "abc", b[8] = "abc", c[3] = "xyz";
    printf("%zu %zu %zu %zu\n", sizeof a, sizeof b, sizeof c, sizeof "abc");
    a[0] = 'A';
    global[1] = 'L';
    printf("%s %s %c%c%c\n", a, global, c[0], c[1], c[2]);
    printf("%d %d\n", b[3], b[7]);
    printf("%s%s%s\n", words[0], words[1], words[2] + 1);
    printf("%s %s %d\n", grid[0], grid[1], grid[0][3]);
    printf("con" "cat" "\n");
    const char *e = "\a\b\f\n\r\t\v\\\'\"\?\x41\101\0z";
    for (int i = 0; i < 15; i++)
        printf("%d ", e[i]);
    printf("\n%zu\n", sizeof "a\0b");
    printf("%c %c\n", "hello"[1], *("hello" + 4));
    const char *p = "walk";
    int sum = 0;
    while (*p)
        sum = sum * 31 + *p++;
    printf("%d\n", sum);
    char copy[10];
    char *q = copy;
    for (const char *s = "copied"; (*q++ = *s++);)
        ;
    printf("%s\n", copy);
    printf("%d\n", (int)strlen("\x7f\377"));
    char list[] = {'o', 'k', 0};
    printf("%s %s\n", list, __func__);
    return 0;
}
