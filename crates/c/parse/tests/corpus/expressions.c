struct s { int a; unsigned b : 5; struct { char c[4]; } d; } g, *p = &g;
static long fold = (1 << 4 | 3) % 5 ? -1L : 'a' + '\x41' + L'b';
double d = 0x1.8p3 + 1e-3f, e = .5L;
unsigned long long big = 0xffffffffffffffffULL, n = 12345678901;
int f(int x, double y, ...) { return x; }
int test(int x, unsigned u, float z, char *s)
{
    int a[3] = { 1, 2, 3 }, (*fp)(int, double, ...) = f;
    x += u; x <<= 2; x = u > 3 && x || !z;
    p->b++; --g.a; g.d.c[1] = s[x] ^ *s; 2[a] = -x;
    z = x ? u : z; s = x ? s : 0; x = x ?: 4;
    (*fp)(x, z); (&*fp)(1, 2, 'c', 3.0f, s);
    x = sizeof a / sizeof *a + sizeof(struct s) + _Alignof(double);
    x = (x, u, *&x), a[0] = a[1] = 5;
    p = &(struct s){ 1, .d.c = "abc" };
    s = "one" "two" "\n\0\177";
    return (int)(char)x + (p == &g) + (int)(s - s) + (unsigned char)~u;
}
