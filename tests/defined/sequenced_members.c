// C11 6.5p2: side effects on different scalar objects of one struct do not conflict.
#include <stdio.h>
struct s {
    int a, b;
    unsigned f : 3, g : 5;
    int v[3];
};
int main(void) {
    struct s s = {1, 2, 3, 4, {5, 6, 7}};
    int r = s.a++ + s.b++;
    printf("%d %d %d\n", r, s.a, s.b);
    r = s.f++ + s.g++;
    printf("%d %u %u\n", r, s.f, s.g);
    s.f = s.g = 9;
    printf("%u %u\n", s.f, s.g);
    int i = 0, j = 1;
    r = s.v[i]++ + s.v[j]++;
    printf("%d %d %d\n", r, s.v[0], s.v[1]);
    s.v[i] = s.v[j] = s.v[2]--;
    printf("%d %d %d\n", s.v[0], s.v[1], s.v[2]);
    struct s t = s;
    s = (s.a = 10, t);
    printf("%d\n", s.a);
    s.a = (t = s).b + 5;
    printf("%d %d\n", s.a, t.b);
    return 0;
}
