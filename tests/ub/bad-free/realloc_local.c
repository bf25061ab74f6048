// C11 7.22.3.5p3: realloc takes what malloc returned.
#include <stdlib.h>
int main(void) {
    int a[2] = {1, 2};
    int *p = realloc(a, 16); //~ bad-free
    return p == 0;
}
