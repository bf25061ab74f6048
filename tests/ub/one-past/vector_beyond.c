// C11 6.5.6p8: of the four ints of the vector, two lie behind the object.
#include <stdlib.h>
typedef int v4si __attribute__((vector_size(16)));
int main(void) {
    int *p = malloc(6 * sizeof *p);
    for (int i = 0; i < 6; i++)
        p[i] = i;
    v4si v = ((v4si *)p)[1]; //~ one-past
    return v[0];
}
