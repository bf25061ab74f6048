int printf(const char *, ...);

typedef unsigned char byte;
typedef struct inner { short x; short unused; byte y[3]; } inner;
enum mode { OFF, SLOW = 3, FAST };
union word { unsigned bits; int number; };
struct outer {
    int id;
    inner parts[2];
    unsigned flag : 3;
    signed : 2;
    enum mode mode;
    struct outer *next;
    union word word;
};
struct single { long value; };

static const struct outer first = {.id = 1, .parts = {{2, 3, {4, 5, 6}}, {7}}, .flag = 5};
static volatile int beat = 2;
static struct outer list[3];
struct single one = {12};
static int table[4][5] = {{1, 2}, {3, 4, 5}};

static long weigh(struct outer *o, const inner *extra)
{
    long sum = o->id + o->flag;
    for (int i = 0; i < 2; i++)
        sum += o->parts[i].x + o->parts[i].y[1];
    return sum + (extra ? extra->x : 0);
}

static void load(struct single *s, unsigned long n)
{
    s->value += n;
}

int main(void)
{
    int *where = &table[1][2];
    const int scale = 3;
    float half = 0.5f;
    list[0] = first;
    list[0].next = &list[1];
    list[1].id = 9;
    list[1].mode = FAST;
    list[1].word.number = 40;
    list[0].next->flag = 2;
    *where += scale;
    load(&one, 4);
    long sum = one.value + beat;
    for (struct outer *o = &list[0]; o; o = o->next)
        sum = sum * scale + weigh(o, &o->parts[1]) + (o->mode == FAST ? 10 : SLOW);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            sum += table[i][j] * (i + 1);
    sum += list[1].word.bits + (int)(half * 4);
    printf("%ld\n", sum);
    return (struct single){sum}.value & 63;
}
