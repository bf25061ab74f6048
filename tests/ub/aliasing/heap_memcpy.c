// C11 6.5p6: memcpy carries the effective type of the source along.
#include <stdlib.h>
#include <string.h>
int main(void) {
    float f = 1.0f;
    void *p = malloc(sizeof f);
    memcpy(p, &f, sizeof f);
    int x = *(int *)p; //~ aliasing
    free(p);
    return x;
}
