// C11 7.22.3.3p2: the object was not allocated.
#include <stdlib.h>
static char buffer[16];
int main(void) {
    char *p = buffer;
    free(p); //~ bad-free
    return 0;
}
