// C11 6.7.2.1p18: the flexible array has only the elements that were allocated.
#include <stdlib.h>
struct s {
    int n;
    int data[];
};
int main(void) {
    struct s *p = malloc(sizeof(struct s) + 2 * sizeof(int));
    p->data[1] = 1;
    p->data[4] = 1; //~ pointer-arith
    free(p);
    return 0;
}
