/* Prints what C leaves to the implementation and Gainsay's machine takes for granted. C and C++. */
#include <float.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#ifdef __cplusplus
typedef bool Bool;
#define ENUM_IS_UNSIGNED 1 /* C++ has no such question: -1 is not a value of the enumeration */
#else
typedef _Bool Bool;
#define ENUM_IS_UNSIGNED ((SmallEnum)-1 > 0)
#endif

enum Small { ZERO, ONE };
enum Negative { MINUS = -1, PLUS = 1 };
typedef void (*Function)(void);

#define TYPES(X) \
    X(Bool) X(char) X(short) X(int) X(long) X(int64_t) X(float) X(double) X(size_t) X(ptrdiff_t) \
    X(wchar_t) X(Function)
#define MEMBER(T) struct Of_##T { char c; T t; };
TYPES(MEMBER)
typedef long long LongLong;
typedef long double LongDouble;
typedef void *Pointer;
typedef enum Small SmallEnum;
typedef enum Negative NegativeEnum;
#define MORE(X) X(LongLong) X(LongDouble) X(Pointer) X(SmallEnum) X(NegativeEnum)
MORE(MEMBER)
#define SHOW(T) \
    printf("size and alignment of " #T ": %d, %d\n", (int)sizeof(T), (int)offsetof(struct Of_##T, t));

/* Small compilers do not say. */
#if defined FLT_EVAL_METHOD && FLT_EVAL_METHOD && FLT_EVAL_METHOD != 16 /* which is about _Float16 alone */
#define EVALUATED_AS_TYPE 0
#else
#define EVALUATED_AS_TYPE 1
#endif

struct Padded { char a; double b; short c; struct { char d; int e; } f; char g; };
struct Nested { char a; struct Padded b[2]; char c; };
union Mixed { char a[9]; int b; };

/* Structures of bit-fields. Those that are looked at byte by byte have no padding. */
struct Full { unsigned a : 3; unsigned b : 5; unsigned c : 11; unsigned d : 13; };
struct Units { unsigned char a : 3; unsigned b : 5; unsigned short c : 8; unsigned d : 16; };
struct Wide { unsigned long long a : 37; unsigned long long b : 19; unsigned char c; };
struct Straddle { unsigned a : 20; unsigned b : 20; char c; };
struct After { char a; int b : 9; char c; short d : 9; char e; };
#if LONG_MAX > 2147483647L
#define LONG_BITS(wide) wide
#else
#define LONG_BITS(wide) 21
#endif
struct LongAfter { int a : 9; long b : LONG_BITS(40); int c : 20; char d; };
struct Signs { int a : 3; unsigned b : 3; signed char c : 2; long d : LONG_BITS(33); enum Negative e : 2; Bool f : 1; };

static void bytes(const char *name, const void *object, int size) {
    const unsigned char *at = (const unsigned char *)object;
    int i;
    printf("bytes of %s:", name);
    for (i = 0; i < size; i++)
        printf(" %02x", at[i]);
    printf("\n");
}

int main(void) {
    volatile int negative = -5, big = 70000;
    volatile long long huge = 5000000123LL;
    volatile double real = -2.75;
    int word = 0x01020304;
    double one = -1.5;
    float half = 0.5f;
    struct Full full;
    struct Units units;
    struct Wide wide;
    struct Signs signs;

    TYPES(SHOW) MORE(SHOW)
    printf("floating point is evaluated as its type: %d\n", EVALUATED_AS_TYPE);
    printf("bits of a char: %d\n", CHAR_BIT);
    printf("plain char is signed: %d\n", (char)-1 < 0);
    printf("an enumeration without negative values is unsigned: %d\n", ENUM_IS_UNSIGNED);
    printf("-5 >> 1: %d\n", negative >> 1);
    printf("-5 / 2, -5 %% 2: %d, %d\n", negative / 2, negative % 2);
    printf("70000 as a short, as a signed char: %d, %d\n", (short)big, (signed char)big);
    printf("5000000123 as an int: %d\n", (int)huge);
    printf("-2.75 as an int: %d\n", (int)real);
    printf("mantissas of float and double: %d, %d\n", FLT_MANT_DIG, DBL_MANT_DIG);
    bytes("0x01020304", &word, (int)sizeof word);
    bytes("-1.5", &one, (int)sizeof one);
    bytes("0.5f", &half, (int)sizeof half);

    printf("Padded: %d: %d %d %d %d\n", (int)sizeof(struct Padded), (int)offsetof(struct Padded, b),
           (int)offsetof(struct Padded, c), (int)offsetof(struct Padded, f), (int)offsetof(struct Padded, g));
    printf("Nested: %d: %d %d\n", (int)sizeof(struct Nested), (int)offsetof(struct Nested, b),
           (int)offsetof(struct Nested, c));
    printf("Mixed: %d\n", (int)sizeof(union Mixed));
    printf("Straddle: %d: %d\n", (int)sizeof(struct Straddle), (int)offsetof(struct Straddle, c));
    printf("After: %d: %d %d\n", (int)sizeof(struct After), (int)offsetof(struct After, c),
           (int)offsetof(struct After, e));
    printf("LongAfter: %d: %d\n", (int)sizeof(struct LongAfter), (int)offsetof(struct LongAfter, d));
    printf("Signs: %d\n", (int)sizeof(struct Signs));

    memset(&full, 0, sizeof full);
    full.a = 5, full.b = 9, full.c = 0x5a3, full.d = 0x1234;
    bytes("Full", &full, (int)sizeof full);
    memset(&units, 0, sizeof units);
    units.a = 6, units.b = 17, units.c = 0xc5, units.d = 0xabcd;
    bytes("Units", &units, (int)sizeof units);
    memset(&wide, 0, sizeof wide);
    wide.a = 0x1234567890ULL, wide.b = 0x6fedc, wide.c = 0x42;
    bytes("Wide", &wide, (int)sizeof wide);
    memset(&signs, 0, sizeof signs);
    signs.a = big - 69993, signs.b = big - 69993, signs.c = 3, signs.d = -1, signs.e = MINUS, signs.f = big != 0;
    printf("values of Signs: %d %d %d %d %d %d\n", signs.a, signs.b, signs.c, (int)signs.d, signs.e, signs.f);
    printf("a bit-field that is promoted: %d\n", full.a - 6 < 0);
    return 0;
}
