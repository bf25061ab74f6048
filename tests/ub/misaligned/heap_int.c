// C11 6.3.2.3p7: an int at an odd address.
#include <stdlib.h>
int main(void) {
    char *p = malloc(16);
    *(int *)(p + 1) = 1; //~ misaligned
    free(p);
    return 0;
}
