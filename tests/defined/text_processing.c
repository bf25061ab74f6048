// A tokenizer and a calculator: pointers to pointers, function results, mutual recursion.
#include <stdio.h>
#include <string.h>
static long expression(const char **s);
static void skip(const char **s) {
    while (**s == ' ')
        ++*s;
}
static long primary(const char **s) {
    skip(s);
    if (**s == '(') {
        ++*s;
        long v = expression(s);
        skip(s);
        ++*s;
        return v;
    }
    if (**s == '-') {
        ++*s;
        return -primary(s);
    }
    long v = 0;
    while (**s >= '0' && **s <= '9')
        v = v * 10 + (*(*s)++ - '0');
    return v;
}
static long term(const char **s) {
    long v = primary(s);
    for (skip(s); **s == '*' || **s == '/'; skip(s)) {
        char op = *(*s)++;
        long w = primary(s);
        v = op == '*' ? v * w : v / w;
    }
    return v;
}
static long expression(const char **s) {
    long v = term(s);
    for (skip(s); **s == '+' || **s == '-'; skip(s)) {
        char op = *(*s)++;
        long w = term(s);
        v = op == '+' ? v + w : v - w;
    }
    return v;
}
static int words(char *text, char **out, int max) {
    int n = 0;
    while (*text && n < max) {
        while (*text == ' ')
            *text++ = 0;
        if (!*text)
            break;
        out[n++] = text;
        while (*text && *text != ' ')
            text++;
    }
    return n;
}
static char *number(unsigned long n, unsigned base) {
    static char buffer[65];
    char *p = buffer + sizeof buffer;
    *--p = 0;
    do
        *--p = "0123456789abcdef"[n % base];
    while (n /= base);
    return p;
}
int main(void) {
    const char *tests[] = {"1+2*3", "(1 + 2) * 3", "-4 - -4", "100 / 7 / 2", "2*(3+(4-1)*2)-1"};
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++) {
        const char *s = tests[i];
        printf("%ld\n", expression(&s));
    }
    char text[] = "  the quick  brown fox ", *found[10];
    int n = words(text, found, 10);
    for (int i = n - 1; i >= 0; i--)
        printf("%s%c", found[i], i ? ' ' : '\n');
    printf("%s\n", number(255, 2));
    printf("%s\n", number(0xdeadbeef, 16));
    printf("%s\n", number(0, 10));
    printf("%d\n", (int)(found[1] - text));
    return 0;
}
