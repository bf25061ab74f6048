// C11 7.22.3p1: an allocated object lives until it is freed.
#include <stdlib.h>
struct node {
    int value;
    struct node *next;
};
int main(void) {
    struct node *p = malloc(sizeof *p);
    free(p);
    p->value = 1; //~ dangling
    return 0;
}
