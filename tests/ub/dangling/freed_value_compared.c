// C11 6.2.4p2: the pointer itself has become indeterminate, even if it is only compared.
#include <stdlib.h>
int main(void) {
    int *p = malloc(4), *q = p;
    free(p);
    return q == p; //~ dangling
}
