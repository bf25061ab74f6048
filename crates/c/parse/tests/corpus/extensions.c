typedef __builtin_va_list va_list;
static __inline__ int max(int a, int b) { return __extension__ ({ int t = a; t > b ? t : b; }); }
int sum(int n, ...)
{
    va_list ap, copy;
    int total = 0;
    __builtin_va_start(ap, n);
    __builtin_va_copy(copy, ap);
    while (n--) total += __builtin_va_arg(ap, int);
    __builtin_va_end(ap);
    return total + (int)__builtin_va_arg(copy, double);
}
struct empty { }; int zero[0];
__int128 wide = (__int128)1 << 100;
int misc(int x)
{
    __typeof__(x) y = x; __auto_type z = &y; const char *name = __func__;
    int r;
    if (__builtin_expect(x > 1, 0)) __builtin_abort();
    if (__builtin_add_overflow(x, 1L, &r)) return __builtin_constant_p(4) + __builtin_popcountl(x);
    asm volatile ("" : "+r" (x) : : "memory");
    switch (x) { case 1: __attribute__((fallthrough)); case 2: default: ; }
    y = _Generic(x, int: 1, default: 2) + __builtin_choose_expr(1, x, name);
    y += __builtin_offsetof(struct { int a; struct { char b[3]; } c; }, c.b[1]);
    y += __builtin_types_compatible_p(int, const int) + __alignof__(x) + *z + name[0];
    memset(&y, 0, sizeof y);
    return undeclared_function(y) + *(int *)((void *)&y + 0) + max(1, 2);
}
