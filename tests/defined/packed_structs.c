// GCC manual 6.34.1: packed and aligned members are accessed through the struct.
#include <stdio.h>
#include <string.h>
struct __attribute__((packed)) header {
    char tag;
    int length;
    double value;
    short list[3];
};
struct __attribute__((packed)) nested {
    char c;
    struct header h;
    long l;
};
struct half {
    char c;
    int i __attribute__((packed));
    int j;
};
struct aligned {
    char c;
    char d __attribute__((aligned(8)));
} __attribute__((aligned(16)));
#pragma pack(push, 1)
struct pragma {
    char c;
    long l;
};
#pragma pack(pop)
int main(void) {
    printf("%zu %zu %zu %zu\n", sizeof(struct header), sizeof(struct nested), sizeof(struct half),
           sizeof(struct aligned));
    struct header h = {'h', 1000, 2.5, {1, 2, 3}};
    h.length++;
    h.value *= 2;
    h.list[1] += h.list[2];
    printf("%c %d %.1f %d\n", h.tag, h.length, h.value, h.list[1]);
    struct nested v[2] = {{'a', h, 5}, {'b', h, 6}};
    v[1].h.length = -1;
    v[1].h.value = v[0].h.value + 1;
    v[0].l -= v[1].l;
    printf("%d %.1f %ld\n", v[1].h.length, v[1].h.value, v[0].l);
    struct header copy = v[1].h;
    printf("%d %d\n", copy.length, copy.list[0]);
    unsigned char bytes[sizeof(struct header)];
    memcpy(bytes, &h, sizeof h);
    printf("%d %d\n", bytes[1], bytes[2]);
    struct header *p = &v[1].h;
    p->length = 7;
    printf("%d\n", p->length + (*p).list[2]);
    struct half half = {1, 2, 3};
    half.i = half.j;
    printf("%d\n", half.i);
    struct pragma q = {1, -2};
    printf("%zu %ld\n", sizeof q, q.l);
    struct aligned al[2] = {{1, 2}, {3, 4}};
    printf("%d\n", al[1].d);
    return 0;
}
