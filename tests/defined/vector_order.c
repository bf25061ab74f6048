// Accesses to different lanes, or of a vector that no other operand writes, may stand side by side.
#include <stdio.h>

typedef int v4si __attribute__((vector_size(16)));

static v4si v = {1, 2, 3, 4}, w = {5, 6, 7, 8};

static v4si next(void) {
    w += 1;
    return w;
}

static int bump(int lane) {
    return v[lane] += 10;
}

int main(void) {
    int i = 0;
    v[0] = v[1] + v[2];
    v[i] = v[i] + 1;
    v = v + (v4si){v[0], v[1]};
    v[0] = (w = v + w)[1];
    v4si x = v + next();
    printf("%d %d %d %d\n", v[0], v[1], v[2], v[3]);
    printf("%d %d %d %d\n", w[0], w[1], w[2], w[3]);
    printf("%d %d %d %d\n", x[0], x[1], x[2], x[3]);
    x = (v[0] = 3, v) + (w[2] = 4);
    int sum = (v[0] = 5) + (v[1] = 6);
    v[2] = bump(2);
    x[1] = (x[0] = 9) + x[3];
    printf("%d %d %d %d %d\n", x[0], x[1], x[2], x[3], sum);
    printf("%d %d %d %d\n", v[0], v[1], v[2], v[3]);
    return 0;
}
