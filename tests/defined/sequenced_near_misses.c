// C11 6.5p1 to p3, 6.5.16p3: the operands' values come before an assignment's effect.
#include <stdio.h>
struct node {
    int value;
    struct node *next;
};
static int store(int *p, int v) {
    *p = v;
    return v + 1;
}
static int increment(int *p) {
    return ++*p;
}
static struct node step(struct node n) {
    n.value++;
    return n;
}
int main(void) {
    int i = 1, j = 2, a[4] = {0, 1, 2, 3};
    i = store(&i, 5);
    printf("%d\n", i);
    i = increment(&i) * 2;
    printf("%d\n", i);
    a[1] = store(&a[1], 7);
    printf("%d\n", a[1]);
    printf("%d\n", store(&i, j++));
    printf("%d %d\n", i, j);
    printf("%d\n", store(&i, i++));
    printf("%d\n", i);
    i = 3;
    printf("%d\n", (int)sizeof(i++) + i);
    printf("%d\n", i + (0 && i++));
    printf("%d\n", i + (1 || i++));
    printf("%d\n", i + (j ? 0 : i++));
    i = j = i;
    printf("%d %d\n", i, j);
    a[a[0]] = 2;
    printf("%d\n", a[0]);
    a[a[a[2] - 2]] = 3;
    printf("%d %d\n", a[0], a[2]);
    i = i ? i - 1 : 0;
    i = *(&i) + 1;
    i += i * i;
    printf("%d\n", i);
    struct node third = {3, 0}, second = {2, &third}, first = {1, &second}, *p = &first;
    p = p->next;
    p->value = p->next->value;
    p = p->next = &first;
    printf("%d %d\n", p->value, second.next == &first);
    first = step(first);
    first.value = step(first).value + first.value;
    printf("%d\n", first.value);
    int x = (int){j++} + i;
    printf("%d %d\n", x, j);
    return 0;
}
