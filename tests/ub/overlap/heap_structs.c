// C11 6.5.16.1p3: two structs in one allocated object, one int apart.
#include <stdlib.h>
struct triple {
    int a[3];
};
int main(void) {
    int *p = calloc(4, sizeof *p);
    struct triple *to = (struct triple *)(p + 1), *from = (struct triple *)p;
    *to = *from; //~ overlap
    free(p);
    return 0;
}
