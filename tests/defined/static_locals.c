// C11 6.2.4p3, 6.7.9p10: static objects are initialised once, to zero by default.
#include <stdio.h>
static int next(void) {
    static int n = 10;
    return n++;
}
static int *slot(int i) {
    static int slots[4];
    return &slots[i];
}
static int nested(int deep) {
    static int calls;
    calls++;
    if (deep)
        nested(deep - 1);
    {
        static int calls = 100;
        calls++;
        if (!deep)
            return calls;
    }
    return calls;
}
static struct {
    int i;
    double d;
    char *p;
    union {
        float f;
        long l;
    } u;
} zero;
static int tentative;
static int tentative;
extern int later;
int later = 3;
static int *const address = &later;
static const char *const names[2] = {"a", "b"};
int main(void) {
    next();
    next();
    printf("%d\n", next());
    *slot(2) = 5;
    ++*slot(2);
    printf("%d %d\n", *slot(2), *slot(0));
    printf("%d\n", nested(2));
    printf("%d\n", nested(0));
    printf("%d %.1f %d %.1f\n", zero.i, zero.d, zero.p == 0, zero.u.f);
    *address += tentative + 1;
    printf("%d %s\n", later, names[1]);
    for (int i = 0; i < 3; i++) {
        static int kept = 1;
        kept *= 3;
        printf("%d ", kept);
    }
    printf("\n");
    return 0;
}
