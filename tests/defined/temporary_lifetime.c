// C11 6.2.4p8: the array in a returned struct may be read within the full expression.
#include <stdio.h>
struct s {
    int v[4];
    char name[8];
};
static struct s make(int n) {
    struct s s = {{n, n + 1, n + 2, n + 3}, "temp"};
    return s;
}
static int sum(const int *p) {
    return p[0] + p[1] + p[2] + p[3];
}
int main(void) {
    printf("%d\n", make(5).v[2]);
    printf("%s\n", make(1).name);
    printf("%d\n", sum(make(10).v));
    printf("%d\n", *(make(3).v + 1));
    int i = 1;
    printf("%d\n", make(sum(make(i).v)).v[i]);
    printf("%d\n", (i ? make(7) : make(8)).v[0]);
    printf("%zu\n", sizeof make(1).v);
    return 0;
}
