// Vectors as objects: variables, members, elements, parameters, results, initialisers, lanes.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef int v4si __attribute__((vector_size(16)));
typedef long v2di __attribute__((vector_size(16)));
typedef int v2si __attribute__((vector_size(8)));
typedef unsigned char v16qu __attribute__((vector_size(16)));
typedef float v4sf __attribute__((vector_size(16)));
typedef double v2df __attribute__((vector_size(16)));

struct pair {
    char tag;
    v4si v;
    short tail;
};

union both {
    v4si v;
    int i[4];
    v4sf f;
};

static void show(const char *name, v4si v) {
    printf("%s: %d %d %d %d\n", name, v[0], v[1], v[2], v[3]);
}

static v4si global = {1, 2};
static v4si table[2] = {1, 2, 3, 4, 5, 6};
static struct pair first = {'x', {9, 8, 7}, 3};
static v4si copied = (v4si){4, 3, 2, 1};
const v4si constant = {10, 20, 30, 40};
v4si tentative;

static v4si scaled(v4si v, int by) {
    v *= by;
    return v;
}

static v2df wide(v2df a, char c, v2df b) {
    return a * c + b;
}

static struct pair moved(struct pair p) {
    p.v[3] = p.tail;
    return p;
}

static v4si recursive(v4si v, int n) {
    return n == 0 ? v : recursive(v + n, n - 1);
}

static int sum(int n, ...) {
    va_list list;
    va_start(list, n);
    int total = 0;
    for (int i = 0; i < n; i++) {
        v4si v = va_arg(list, v4si);
        total += v[0] + v[1] + v[2] + v[3];
    }
    va_end(list);
    return total;
}

int main(void) {
    show("global", global);
    show("table", table[1]);
    show("first", first.v);
    show("copied", copied);
    show("tentative", tentative);
    show("constant", constant + 1);

    v4si a = {1, 2, 3, 4}, b = a, c[2] = {a, {5}};
    show("copy", b);
    show("element", c[1]);
    show("literal", (v4si){a[3], a[2]});
    struct pair p = {'y', a, 5}, q;
    show("member", p.v);
    q = moved(p);
    show("record", q.v);
    show("result member", moved(q).v);
    printf("%d\n", moved(q).v[2]);

    show("assigned", a = b + 1);
    a += b;
    a -= 1;
    a <<= 2;
    a >>= (v4si){1, 1, 1, 1};
    a |= 1;
    a ^= b;
    a %= 7;
    show("compound", a);
    show("chained", a = b = c[1]);
    show("comma", (a[0]++, a));

    a = (v4si){4, 3, 2, 1};
    for (int i = 0; i < 4; i++)
        a[i] += i;
    a[1]++;
    --a[2];
    a[a[3] - 4] = 77;
    show("lanes", a);
    printf("%d %d\n", (a + b)[0], (-a)[3]);
    v4si *at = &c[0];
    (*at)[2] = -3;
    at[1][0] = -5;
    at++;
    show("pointer", *at);
    show("pointer", at[-1]);

    show("call", scaled(scaled(a, 2), -1));
    show("recursive", recursive((v4si){}, 10));
    v2df w = wide((v2df){1, 2}, 3, (v2df){.5});
    printf("%g %g\n", w[0], w[1]);
    printf("%d\n", sum(2, a, b));
    v4si (*function)(v4si, int) = scaled;
    show("indirect", function(a, 3));

    int n = 3;
    show("condition", n > 2 ? a : b);
    show("statement", ({ v4si t = a; t[0] = n; t; }));

    union both u = {{1065353216, 2, 3, 4}};
    printf("%g %d\n", u.f[0], u.i[3]);
    u.i[2] = 9;
    show("union", u.v);

    v2di wide_lanes = (v2di)(v4si){1, 0, -1, -1};
    printf("%ld %ld\n", wide_lanes[0], wide_lanes[1]);
    v16qu bytes = (v16qu)(v4si){0x04030201, -1, 0, 256};
    printf("%d %d %d %d\n", bytes[0], bytes[3], bytes[4], bytes[13]);
    v4sf same = (v4sf)(v4si){1065353216, (int)0xbf800000u};
    printf("%g %g %g\n", same[0], same[1], same[2]);
    long both_halves = (long)(v2si){1, 2};
    printf("%lx\n", both_halves);
    v2si halves = (v2si)0x500000007;
    printf("%d %d\n", halves[0], halves[1]);

    // A vector may be accessed as its elements, and elements as a vector.
    int *lane = (int *)&a;
    lane[1] = 1234;
    show("aliased", a);
    int array[4] __attribute__((aligned(16))) = {1, 2, 3, 4};
    *(v4si *)array += 1;
    printf("%d\n", array[3]);
    // Vectors in a row are one row of elements.
    int *flat = (int *)&table;
    flat[5] += 100;
    printf("%d %d\n", flat[4], table[1][1]);
    v4si *heap = malloc(2 * sizeof *heap);
    heap[0] = a;
    heap[1] = heap[0] + heap[0];
    show("heap", heap[1]);
    printf("%d\n", ((int *)heap)[5]);
    free(heap);

    // Lanes that nobody reads need not be set.
    v4si partial;
    partial[1] = 5;
    printf("%d\n", partial[1]);

    volatile v4si watched = {1, 2, 3, 4};
    watched += 1;
    printf("%d %zu %zu\n", watched[2], sizeof watched, sizeof(v2df));
    (void)a;
    a + b;
    scaled(a, 1);
    return 0;
}
