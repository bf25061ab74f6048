// C11 7.1.4p1: the address of a library function may be taken, and called through.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned long (*measure)(const char *) = strlen;
static int (*say)(const char *, ...) = printf;
static int run(int (*f)(int), int x) {
    return f(x);
}
int main(void) {
    say("%d\n", (int)measure("text"));
    printf("%d\n", run(abs, -4));
    void (*g)(void) = (void (*)(void))say;
    ((int (*)(const char *, ...))g)("%s\n", "back");
    return 0;
}
