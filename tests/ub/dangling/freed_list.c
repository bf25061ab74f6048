// C11 7.22.3p1: the next member is read after its node was freed.
#include <stdlib.h>
struct node {
    struct node *next;
};
int main(void) {
    struct node *b = malloc(sizeof *b), *a = malloc(sizeof *a);
    b->next = 0;
    a->next = b;
    for (struct node *p = a; p; p = p->next) //~ dangling
        free(p);
    return 0;
}
