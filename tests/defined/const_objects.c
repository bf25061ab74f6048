// C11 6.7.3: const pointers to non-const objects may be cast and written through.
#include <stdio.h>
#include <string.h>
struct s {
    const int id;
    int value;
};
static const int table[3] = {1, 2, 3};
static int sum(const int *p, int n) {
    int s = 0;
    for (const int *end = p + n; p < end; p++)
        s += *p;
    return s;
}
static void force(const int *p) {
    *(int *)p = 9;
}
int main(void) {
    int x = 1;
    const int *p = &x;
    x = 2;
    printf("%d\n", *p);
    force(p);
    printf("%d\n", x);
    printf("%d\n", sum(table, 3));
    int *const q = &x;
    *q = 4;
    printf("%d\n", x);
    struct s s = {1, 2};
    s.value = 3;
    struct s t = s;
    printf("%d %d\n", t.id, t.value);
    const char *const names[] = {"a", "b"};
    printf("%s\n", names[1]);
    const struct s c = {5, 6};
    struct s d = c;
    d.value++;
    printf("%d %d\n", c.value, d.value);
    char text[] = "abc";
    const char *r = text;
    *strchr(r, 'b') = 'B';
    printf("%s\n", r);
    const int a[2][2] = {{1, 2}, {3, 4}};
    const int(*row)[2] = &a[1];
    printf("%d\n", (*row)[0]);
    return 0;
}
