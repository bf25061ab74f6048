// C11 6.5.1.1 and idioms: _Generic, container_of, intrusive lists, tagged unions.
#include <stddef.h>
#include <stdio.h>
#define NAME(x) _Generic((x), char: "char", int: "int", double: "double", char *: "string", default: "other")
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
struct link {
    struct link *next;
};
struct item {
    int id;
    struct link link;
    char tag;
};
struct value {
    enum { INT, TEXT, PAIR } kind;
    union {
        int i;
        const char *text;
        struct {
            const struct value *first, *second;
        };
    };
};
static int weigh(const struct value *v) {
    switch (v->kind) {
    case INT:
        return v->i;
    case TEXT: {
        int n = 0;
        for (const char *s = v->text; *s; s++)
            n++;
        return n;
    }
    case PAIR:
        return weigh(v->first) * 10 + weigh(v->second);
    }
    return -1;
}
int main(void) {
    char c = 'x';
    printf("%s %s %s %s %s\n", NAME(c), NAME('x'), NAME(1.0), NAME("x"), NAME(1.0f));
    struct item items[3] = {{1, {0}, 'a'}, {2, {0}, 'b'}, {3, {0}, 'c'}};
    struct link *head = 0;
    for (int i = 0; i < 3; i++) {
        items[i].link.next = head;
        head = &items[i].link;
    }
    for (struct link *l = head; l; l = l->next) {
        struct item *it = container_of(l, struct item, link);
        printf("%d%c ", it->id, it->tag);
    }
    printf("\n");
    struct value one = {INT, {1}}, text = {TEXT, {.text = "four"}};
    struct value inner = {PAIR, {.first = &one, .second = &text}};
    struct value outer = {.kind = PAIR, .first = &inner, .second = &one};
    printf("%d\n", weigh(&outer));
    return 0;
}
