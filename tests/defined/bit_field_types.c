// C11 6.7.2.1p5, 6.3.1.2: _Bool, enum and narrow bit-fields in expressions.
#include <stdio.h>
enum color { red, green, blue };
struct s {
    _Bool flag : 1;
    enum color color : 2;
    unsigned u31 : 31;
    unsigned u32 : 32;
    unsigned u5 : 5;
    int i5 : 5;
};
int main(void) {
    struct s s = {0};
    s.flag = 256;
    printf("%d\n", s.flag);
    s.flag = 0.5;
    printf("%d\n", s.flag);
    s.flag++;
    printf("%d\n", s.flag);
    s.flag--;
    printf("%d\n", s.flag);
    s.flag |= 4;
    printf("%d\n", s.flag);
    s.color = blue;
    printf("%d %d\n", s.color, s.color == blue);
    s.u5 = 3;
    s.i5 = -3;
    s.u31 = 3;
    s.u32 = 3;
    printf("%d\n", s.u5 - 4 < 0);
    printf("%d\n", s.u31 - 4 < 0);
    printf("%d\n", s.u32 - 4 < 0);
    printf("%d %d\n", s.i5 < s.u5, -1 < s.u5);
    printf("%d\n", ~s.u5);
    printf("%d %d\n", s.u5 ? s.i5 : 0, -s.u5);
    printf("%d\n", (s.u5, s.i5));
    s.u5 = s.i5;
    printf("%d\n", s.u5);
    s.i5 = s.u5 / 2;
    printf("%d\n", s.i5);
    switch (s.color) {
    case red:
    case green:
        printf("no\n");
        break;
    case blue:
        printf("blue\n");
    }
    struct s *p = &s;
    p->u5 += p->u5;
    printf("%d\n", p->u5);
    printf("%d\n", p->u5 = 40);
    return 0;
}
