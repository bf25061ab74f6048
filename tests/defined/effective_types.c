// C11 6.5p6: an allocated object takes the type of the last store; reads must agree with that.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair {
    int a, b;
};
int main(void) {
    void *m = malloc(64);
    int *i = m;
    i[0] = 1;
    i[1] = 2;
    printf("%d\n", i[0] + i[1]);
    double *d = m;
    d[0] = 0.5;
    printf("%.1f\n", *d);
    struct pair *p = m;
    p->a = 5;
    p->b = 6;
    struct pair q = *p;
    printf("%d\n", q.a * q.b);
    *p = (struct pair){7, 8};
    printf("%d\n", p->b);
    int *b = &p->b;
    printf("%d\n", *b);
    memset(m, 0, 64);
    long *l = m;
    printf("%ld\n", l[3]);
    l[3] = -1;
    printf("%u\n", ((unsigned char *)m)[30]);
    float f = 2.5f;
    memcpy(m, &f, sizeof f);
    printf("%.1f\n", *(float *)m);
    char *c = m;
    strcpy(c, "text");
    printf("%s\n", c);
    i[0] = 3;
    printf("%d\n", i[0]);
    char **names = m;
    names[0] = "name";
    printf("%s\n", *names);
    free(m);
    struct pair *v = calloc(3, sizeof *v);
    v[1].a = 4;
    printf("%d %d\n", v[1].a, v[2].b);
    free(v);
    return 0;
}
