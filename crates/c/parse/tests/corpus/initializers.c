struct point { int x, y; }; union u { int i; char c[8]; };
struct point origin = { 0 }, pts[] = { { 1, 2 }, 3, 4, [3].y = 5, { .y = 6 } };
int grid[2][3] = { 1, 2, 3, { 4 } }, range[10] = { [2 ... 5] = 7, [4] = 8, 9 };
char text[] = "hello", fixed[3] = "abc", braces[] = { "x" };
union u first = { 5 }, second = { .c = { 1, 2 } };
struct deep { struct point p[2]; union u u; int *q; int bits : 3, : 2, more : 4; } deep =
    { .p[1].x = 1, 2, .q = &grid[1][2], .bits = 1, 2 };
struct old { int a, b; } old = { b: 2, a: 1 };
int scalar = { 3 };
struct flexible { int n; char data[]; } flex = { 2, { 'a', 'b' } };
const char *names[] = { [1] = "one", "two" };
void f(struct point q) { struct point a = q, b[2] = { q, 1, 2 }; int c[] = { a.x, b[0].y }; c[0]++; }
