// C11 7.24: the functions of string.h on valid arguments.
#include <stdio.h>
#include <string.h>
#define sign(x) (((x) > 0) - ((x) < 0))
int main(void) {
    char a[32] = "hello", b[32];
    printf("%d %d\n", (int)strlen(a), (int)strlen(""));
    strcpy(b, a);
    strcat(b, ", ");
    strncat(b, "world!!!", 5);
    printf("%s\n", b);
    printf("%d %d %d\n", sign(strcmp("a", "b")), sign(strcmp("b", "a")), strcmp("ab", "ab"));
    printf("%d %d\n", sign(strcmp("ab", "a")), sign(strcmp("", "a")));
    printf("%d %d\n", sign(strcmp("\xff", "a")), strncmp("abc", "abd", 2));
    printf("%d\n", sign(strncmp("abc", "abd", 3)));
    printf("%s %d\n", strchr(b, 'w'), strchr(b, 'x') == 0);
    printf("%s %s\n", strrchr(b, 'o'), strstr(b, "lo"));
    printf("%d\n", strchr(a, 0) == a + 5);
    char n[6] = "zzzzz";
    strncpy(n, "ab", 4);
    printf("%s %d %c\n", n, n[3], n[4]);
    memset(a, '-', 5);
    printf("%s\n", a);
    memset(a + 1, '*', 3);
    memset(a, 0, 0);
    printf("%s\n", a);
    char m[] = "0123456789";
    memmove(m + 2, m, 5);
    printf("%s\n", m);
    memmove(m, m + 3, 7);
    printf("%s\n", m);
    memcpy(m, "xy", 2);
    memcpy(m + 4, m, 2);
    printf("%s\n", m);
    printf("%d %d\n", sign(memcmp("abc", "abd", 3)), memcmp("abc", "abd", 2));
    printf("%d\n", sign(memcmp("\x80", "\x7f", 1)));
    printf("%s\n", (char *)memchr("find", 'n', 4));
    int v[3] = {1, 2, 3}, w[3];
    memcpy(w, v, sizeof v);
    printf("%d %d\n", memcmp(v, w, sizeof v), w[2]);
    memset(w, 0xff, sizeof w);
    printf("%d\n", w[0] + w[1] + w[2]);
    return 0;
}
