// C11 7.22.3.3p2: a string literal was not allocated.
#include <stdlib.h>
int main(void) {
    char *p = "abc";
    free(p); //~ bad-free
    return 0;
}
