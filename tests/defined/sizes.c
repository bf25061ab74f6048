// C11 6.5.3.4 and the System V ABI: sizes, alignments and offsets; sizeof does not evaluate.
#include <stddef.h>
#include <stdio.h>
struct a {
    char c;
    short s;
    char d;
    int i;
    char e;
};
struct b {
    char c;
    long double l;
    char d;
};
struct __attribute__((packed)) c {
    char c;
    int i;
    short s;
};
struct d {
    char c;
    struct a a;
    char v[3];
};
struct __attribute__((aligned(32))) e {
    int i;
};
union u {
    char c[5];
    int i;
    double d;
};
struct f {
    char c;
    _Alignas(16) char d;
    int i __attribute__((packed));
};
static int calls;
static int count(void) {
    return ++calls;
}
#define SHOW(t) printf("%s %zu %zu\n", #t, sizeof(t), _Alignof(t))
int main(void) {
    SHOW(char);
    SHOW(_Bool);
    SHOW(short);
    SHOW(int);
    SHOW(long);
    SHOW(long long);
    SHOW(float);
    SHOW(double);
    SHOW(long double);
    SHOW(void *);
    SHOW(int (*)(void));
    SHOW(__int128);
    SHOW(struct a);
    SHOW(struct b);
    SHOW(struct c);
    SHOW(struct d);
    SHOW(struct e);
    SHOW(struct f);
    SHOW(union u);
    SHOW(struct a[3]);
    SHOW(union u *[4][5]);
    printf("%zu %zu %zu\n", offsetof(struct a, i), offsetof(struct b, d), offsetof(struct c, s));
    printf("%zu %zu %zu\n", offsetof(struct d, a.i), offsetof(struct d, v[2]), offsetof(struct f, i));
    int i = 1;
    char v[7];
    printf("%zu %zu %zu %zu\n", sizeof i++, sizeof v, sizeof(v + 0), sizeof count());
    printf("%zu %zu %zu %zu\n", sizeof 'a', sizeof 1L, sizeof 1.0f, sizeof(char)+sizeof(1, 2L));
    printf("%d %d\n", i, calls);
    return 0;
}
