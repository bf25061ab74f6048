// C11 7.22.3.5p2: realloc has freed the old object.
#include <stdlib.h>
int main(void) {
    int *p = malloc(8);
    int *q = realloc(p, 16);
    free(p); //~ bad-free
    free(q);
    return 0;
}
