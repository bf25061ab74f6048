// C11 6.7.2.1p18: a flexible array member with the elements that were allocated.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct buffer {
    unsigned short length;
    char data[];
};
struct vector {
    int n;
    double v[];
};
static struct buffer *make(const char *text) {
    size_t n = strlen(text);
    struct buffer *b = malloc(sizeof *b + n + 1);
    b->length = n;
    memcpy(b->data, text, n + 1);
    return b;
}
static struct vector *grow(struct vector *v, double x) {
    int n = v ? v->n : 0;
    v = realloc(v, sizeof *v + (n + 1) * sizeof v->v[0]);
    v->v[n] = x;
    v->n = n + 1;
    return v;
}
int main(void) {
    struct buffer *b = make("flexible");
    b->data[0] = 'F';
    printf("%d %s %zu\n", b->length, b->data, sizeof(struct buffer));
    free(b);
    struct vector *v = 0;
    for (int i = 0; i < 10; i++)
        v = grow(v, i * 0.5);
    double sum = 0;
    for (int i = 0; i < v->n; i++)
        sum += v->v[i];
    printf("%d %.1f %zu\n", v->n, sum, sizeof *v);
    struct vector copy = *v;
    printf("%d\n", copy.n);
    free(v);
    return 0;
}
