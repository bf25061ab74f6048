// C11 6.5.2.3p4: the object is smaller than the struct it is accessed as.
#include <stdlib.h>
struct s {
    int a;
    int b[10];
};
int main(void) {
    struct s *p = malloc(sizeof(int));
    p->b[5] = 2; //~ pointer-arith
    free(p);
    return 0;
}
