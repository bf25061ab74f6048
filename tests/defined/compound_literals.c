// C11 6.5.2.5: unnamed objects, with the lifetime of the block or static at file scope.
#include <stdio.h>
struct p {
    int x, y;
};
static int *table = (int[]){10, 20, 30};
static struct p *origin = &(struct p){.y = 5};
static int sum(const int *v, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += v[i];
    return s;
}
static int dot(struct p a, struct p b) {
    return a.x * b.x + a.y * b.y;
}
int main(void) {
    table[1]++;
    printf("%d %d %d\n", table[0], table[1], origin->y);
    printf("%d\n", sum((int[]){1, 2, 3, 4}, 4));
    printf("%d\n", dot((struct p){1, 2}, (struct p){.y = 4, .x = 3}));
    struct p *q = &(struct p){7, 8};
    q->x += q->y;
    printf("%d\n", q->x);
    int total = 0;
    for (int i = 0; i < 3; i++) {
        struct p *r = &(struct p){.x = i};
        r->y += i + 1;
        total += r->x * 10 + r->y;
    }
    printf("%d\n", total);
    struct p copy = (struct p){1, 2};
    copy = (struct p){.x = copy.y, .y = copy.x};
    printf("%d %d\n", copy.x, copy.y);
    printf("%d\n", (int){5} + (struct p){6, 7}.y);
    char *s = (char[]){"text"};
    s[0] = 'n';
    printf("%s %zu\n", s, sizeof(char[]){"text"});
    (int){1}++;
    printf("%s\n", (const char *[]){"a", "b"}[1]);
    return 0;
}
