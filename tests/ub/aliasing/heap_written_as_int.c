// C11 6.5p6: the store gave the allocated object the effective type int.
#include <stdlib.h>
int main(void) {
    void *p = malloc(8);
    *(int *)p = 1;
    float f = *(float *)p; //~ aliasing
    free(p);
    return f > 0;
}
