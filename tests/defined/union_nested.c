// C11 6.7.2.1p13, p16: anonymous members, a common initial sequence, unions in structs.
#include <stdio.h>
struct shape {
    int kind;
    union {
        struct {
            int w, h;
        };
        int radius;
        long raw;
    };
};
struct a {
    int tag;
    int x;
};
struct b {
    int tag;
    double y;
};
union common {
    struct a a;
    struct b b;
};
static int area(const struct shape *s) {
    return s->kind == 0 ? s->w * s->h : 3 * s->radius * s->radius;
}
int main(void) {
    struct shape box = {0, {{3, 4}}}, circle = {.kind = 1, .radius = 2};
    printf("%d %d\n", area(&box), area(&circle));
    box.raw = 0x0000000500000006;
    printf("%d %d\n", box.w, box.h);
    union common c;
    c.b.tag = 7;
    c.b.y = 2.5;
    printf("%d %.1f\n", c.a.tag, c.b.y);
    c.a.x = 9;
    printf("%d\n", c.a.x);
    printf("%d %d\n", (int)sizeof(struct shape), (int)sizeof(union common));
    return 0;
}
