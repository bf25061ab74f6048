# 1 "declarations.c"
# 1 "header.h" 1 3
typedef unsigned long size_t;
extern int printf(const char *restrict, ...) __attribute__((__format__(__printf__, 1, 2)));
extern _Float128 strtof128(const char *s, char **end);
# 3 "declarations.c" 2
#pragma pack(push, 1)
struct packed { char c; int i : 7; unsigned long long w : 40; };
#pragma pack(pop)
enum color { RED, GREEN = 5, BLUE, BIG = 0x80000000 };
typedef struct node { struct node *next; enum color c; union { int i; float f; }; } node_t;
struct opaque;
static const volatile int *const *table[3][4];
int (*handler(int sig, void (*fn)(int)))(int, ...);
_Alignas(16) char buffer[64];
_Static_assert(sizeof(struct packed) == 7, "layout");
struct __attribute__((packed, aligned(4))) tight { short a; long b; } tight_one;
typedef int v4 __attribute__((vector_size(16)));
typedef unsigned hi __attribute__((mode(HI)));
int tentative; int tentative; extern int tentative;
int open[];
inline static _Noreturn void stop(void) { for (;;) ; }
old(a, b, c) int a; char *b; { return a + *b + c; }
static int later(int);
int use(struct opaque *p, int n, int v[n]) { extern int tentative; return later(n) + v[0]; }
static int later(int x) { return x; }
