// C11 6.5.2.2p10: calls whose order does not matter, and calls that are ordered.
#include <stdio.h>
static int x, y, total;
static int set_x(int v) {
    x = v;
    return v + 1;
}
static int set_y(int v) {
    y = v;
    return v + 2;
}
static int get_x(void) {
    return x;
}
static int add(int v) {
    total += v;
    return total;
}
static int local_work(int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += i;
    return s;
}
static int write_through(int *p, int v) {
    *p = v;
    return v;
}
int main(void) {
    int r = set_x(1) + set_y(2);
    printf("%d %d %d\n", r, x, y);
    printf("%d\n", get_x() + get_x());
    x = set_x(10);
    printf("%d\n", x);
    x = get_x() + 1;
    printf("%d\n", x);
    printf("%d\n", add(add(add(1))));
    printf("%d\n", (add(1), add(2)));
    printf("%d\n", add(1) && add(-total));
    printf("%d\n", add(5) ? add(6) : add(7));
    printf("%d\n", local_work(4) * local_work(5));
    int a[2];
    r = write_through(&a[0], 3) + write_through(&a[1], 4);
    printf("%d %d %d\n", r, a[0], a[1]);
    a[0] = write_through(&a[0], 8) + 1;
    printf("%d\n", a[0]);
    int v[2] = {set_x(5), set_y(6)};
    printf("%d %d %d %d\n", v[0], v[1], x, y);
    return 0;
}
