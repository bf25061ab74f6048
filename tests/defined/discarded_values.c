// C11 6.8.3p2, 6.3.2.2: values that are computed and dropped.
#include <stdio.h>
static int count;
static int touch(void) {
    return ++count;
}
static int no_value(int x) {
    if (x)
        return x;
}
static void nothing(void) {
    return;
}
int main(void) {
    int x = 1, unset;
    x;
    x + 1;
    x == 2;
    touch();
    (void)touch();
    touch(), touch();
    (void)(touch() + 1);
    printf("%d\n", count);
    no_value(0);
    (void)no_value(0);
    nothing();
    x ? nothing() : (void)0;
    (void)unset;
    (void)sizeof unset;
    &unset;
    *&x;
    "string";
    3.5;
    ;
    {
    }
    printf("%d\n", x);
    return 0;
}
