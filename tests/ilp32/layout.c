// Sizes, alignments and types that differ between LP64 and i386.
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct Mixed { char a; long long b; char c; double d; short e; };
struct Wide { char a; long double b; char c; };
struct Bits { long long a : 40; long long b : 40; char c; };
struct Longs { int a : 9; long b : 20; unsigned long c : 30; char d; };
struct Pointers { char a; void *b; char c; int (*d)(void); };
union Both { double a; int b[3]; };
enum Big { LEAST = -1, MOST = 0xffffffffLL };

static const char *kind(int which) {
    static const char *const names[] = {"int", "unsigned", "long", "unsigned long", "long long", "unsigned long long"};
    return names[which];
}
#define KIND(x) kind(_Generic((x), int: 0, unsigned: 1, long: 2, unsigned long: 3, long long: 4, unsigned long long: 5))

static int sum(int count, ...) {
    __builtin_va_list list, copy;
    int total = 0;
    __builtin_va_start(list, count);
    __builtin_va_copy(copy, list);
    for (int i = 0; i < count; i++)
        total += __builtin_va_arg(list, int);
    for (int i = 0; i < count; i++)
        total += 100 * __builtin_va_arg(copy, int);
    __builtin_va_end(copy);
    __builtin_va_end(list);
    return total;
}

static int three(void) { return 3; }

int main(int argc, char **argv) {
    printf("%d %d %d %d\n", (int)sizeof(long), (int)sizeof(void *), (int)sizeof(size_t), (int)sizeof(intmax_t));
    printf("Mixed: %d: %d %d %d\n", (int)sizeof(struct Mixed), (int)offsetof(struct Mixed, b),
           (int)offsetof(struct Mixed, c), (int)offsetof(struct Mixed, d));
    printf("Wide: %d: %d %d\n", (int)sizeof(struct Wide), (int)offsetof(struct Wide, b), (int)offsetof(struct Wide, c));
    printf("Bits: %d: %d\n", (int)sizeof(struct Bits), (int)offsetof(struct Bits, c));
    printf("Longs: %d: %d\n", (int)sizeof(struct Longs), (int)offsetof(struct Longs, d));
    printf("Pointers: %d: %d %d\n", (int)sizeof(struct Pointers), (int)offsetof(struct Pointers, b),
           (int)offsetof(struct Pointers, d));
    printf("Both: %d, Big: %d\n", (int)sizeof(union Both), (int)sizeof(enum Big));
    printf("%s, %s, %s, %s, %s\n", KIND(sizeof 1), KIND(argv - argv), KIND(2147483648), KIND(0x80000000), KIND(4294967296));
    printf("%s, %s\n", KIND(1l + 1u), KIND((size_t)1 + 1l));
    printf("%ld %lu %lx %zu %td %jd %llx\n", LONG_MIN, ULONG_MAX, -1l, sizeof argv, argv + argc - argv, INTMAX_MIN, -1ll);
    printf("%d\n", -1l < 1u);
    printf("%lu\n", 1ul << 31);
    struct Pointers p[2] = {{'a', &p[1], 'c', three}, {'b', 0, 'd', 0}};
    struct Pointers copy = p[0];
    struct Pointers *const *where = (struct Pointers *const *)&copy.b;
    (void)where;
    printf("%d %d %d\n", copy.b == &p[1], ((struct Pointers *)copy.b)->b == 0, copy.d());
    void *round = (void *)(uintptr_t)(void *)p;
    printf("%d %d\n", round == p, (unsigned)(uintptr_t)(void *)(uintptr_t)0xfffffffcu);
    char *words[] = {"one", "two", 0};
    for (char **word = words; *word; word++)
        printf("%s ", *word);
    printf("%d %s\n", sum(3, 1, 2, 3), argc == 1 && !argv[1] ? "argv" : "no argv");
    fprintf(stdout, "%d\n", (int)sizeof stdout);
    return 0;
}
