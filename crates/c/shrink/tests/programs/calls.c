int printf(const char *, ...);

int depth;
unsigned long seen = 1;
static int unused_result(int n);
static int apply(int (*f)(int), int n) { return f(n) + 1; }

static int twice(int n) { return n * 2; }
static int add(int a, int b) { return a + b; }

static int factorial(int n)
{
    if (n < 2)
        return 1;
    return n * factorial(n - 1);
}

static void note(int *slot, int value, int ignored)
{
    *slot = value;
    seen = seen * 31 + value;
}

static int unused_result(int n)
{
    depth += n;
    return depth;
}

static int clamp(int low, int n, int high)
{
    if (n < low)
        return low;
    if (n > high)
        return high;
    return n;
}

static short narrow(long n)
{
    short result = n;
    n = 3;
    return result + n;
}

int old_style(a, b)
    int a, b;
{
    return a - b;
}

int main(void)
{
    int a;
    int b;
    int *p = &a;
    a = 4;
    b = twice(a) + add(a, 2);
    note(p, 11, b);
    note(&depth, 2, 0);
    unused_result(3);
    unused_result(4);
    int c = clamp(0, a * 3, 20);
    int d = c && factorial(5) > 100;
    long e = narrow(70000);
    char f = 7;
    a += apply(twice, 5) + old_style(9, f);
    printf("%d %d %d %d %ld %lu\n", a, b, c, d, e, seen + depth);
    return 0;
}
