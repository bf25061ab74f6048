// C11 7.21.6: %s and %c in fields, the other output functions, sprintf and snprintf.
#include <stdio.h>
#include <string.h>
int main(void) {
    char raw[4] = {'r', 'a', 'w', '!'};
    printf("[%s][%8s][%-8s][%.2s][%8.2s][%.0s]\n", "text", "text", "text", "text", "text", "text");
    printf("[%.3s][%.*s]\n", raw, 4, raw);
    printf("[%s]\n", "");
    printf("%s%c%s\n", "a", 'b', "c");
    puts("puts");
    putchar('p');
    putchar('\n');
    char buffer[32];
    int n = sprintf(buffer, "%d+%d=%d", 1, 2, 1 + 2);
    printf("%s %d\n", buffer, n);
    n = snprintf(buffer, 5, "%s", "truncated");
    printf("%s %d\n", buffer, n);
    n = snprintf(0, 0, "%05d", 42);
    printf("%d\n", n);
    printf("%d\n", (int)strlen(buffer));
    const char *format = "%s-%d\n";
    printf(format, "indirect", 5);
    printf("nothing\n", 1, 2);
    return 0;
}
