// C11 6.2.4p2: the pointer itself has become indeterminate, even if it is only copied.
#include <stdlib.h>
static int is_null(const void *p) {
    return p == 0;
}
int main(void) {
    char *p = malloc(4);
    free(p);
    return is_null(p); //~ dangling
}
