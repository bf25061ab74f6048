// C11 6.7: declarators of every shape, typedefs, storage classes, inline, tentative definitions.
#include <stdio.h>
typedef int number, *pointer, vector[3], function(int);
typedef const pointer *const constant;
static function twice, half;
int a, b = 2, *c = &b, d[2], e(void);
extern int a;
int a;
static inline int square(int x) {
    return x * x;
}
inline static number(*chain(int i))(int);
static int twice(int x) {
    return 2 * x;
}
static int half(int x) {
    return x / 2;
}
static int (*chain(int i))(int) {
    return i ? twice : half;
}
static vector *rows(void) {
    static vector v[2] = {{1, 2, 3}, {4, 5, 6}};
    return v;
}
int e(void) {
    return a + b;
}
typedef struct list list;
struct list {
    list *next;
    struct {
        number n;
    } in;
};
long unsigned int lu = 1;
int long long signed ll = -1;
short unsigned us = 3;
int register_sum(register int x) {
    register int s = 0;
    auto int i;
    for (i = 0; i < x; i++)
        s += i;
    return s;
}
int main(void) {
    pointer p = &a;
    *p = 40;
    constant k = &(const pointer){p};
    printf("%d %d %d\n", e(), *c, **k);
    printf("%d %d\n", chain(1)(10), (*chain(0))(10));
    printf("%d %d\n", rows()[1][2], (*rows())[0]);
    printf("%d %d\n", square(7), register_sum(5));
    list y = {0, {2}}, x = {&y, {1}};
    printf("%d\n", x.next->in.n + x.in.n);
    printf("%lu %lld %d\n", lu, ll, us);
    int (*table[2])(int) = {twice, half}, (*(*pt)[2])(int) = &table;
    printf("%d\n", (*pt)[1](9));
    char *(*f)(char *, int) = 0;
    printf("%d %zu\n", f == 0, sizeof(char *(*[4])(char)));
    struct { int m; } anon = {3}, *pa = &anon;
    printf("%d\n", pa->m);
    __typeof__(a + 1L) t = 5;
    __typeof__(*p) w = 6;
    printf("%zu %d\n", sizeof t, w);
    _Static_assert(sizeof(int) == 4, "int");
    return 0;
}
