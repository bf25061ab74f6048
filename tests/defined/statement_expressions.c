// GCC manual 6.1: the value of ({ ... }) is that of its last expression.
#include <stdio.h>
#define MAX(a, b) ({ int x_ = (a), y_ = (b); x_ > y_ ? x_ : y_; })
struct s {
    int v[3];
};
static int f(int n) {
    int r = ({
        if (n < 0)
            return -1;
        int k = 0;
        for (int i = 0; i < n; i++)
            k += i;
        k;
    });
    return r * 2;
}
int main(void) {
    int i = 3;
    printf("%d %d\n", MAX(i, 2), MAX(1, MAX(i, 5)));
    printf("%d %d\n", f(5), f(-5));
    int x = ({ i++; i; }) * 2;
    printf("%d %d\n", x, i);
    struct s s = ({
        struct s t = {{1, 2, 3}};
        t.v[1] = i;
        t;
    });
    printf("%d\n", s.v[1]);
    ({ i = 10; });
    printf("%d\n", i);
    printf("%d\n", ({ int i = 5; i + 1; }) + ({ int i = 6; i + 1; }));
    for (i = 0; ({ i < 3; }); ({ i++; }))
        if (({ i == 1; }))
            continue;
    printf("%d\n", i);
    int *p = ({ &i; });
    *p = 8;
    printf("%d\n", i);
    while (1)
        ({
            if (++i > 10)
                break;
        });
    printf("%d\n", i);
    return ({ 0; });
}
