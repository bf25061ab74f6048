// C11 7.22.3: malloc, calloc, realloc and free.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node {
    int value;
    struct node *left, *right;
};
static struct node *insert(struct node *n, int value) {
    if (!n) {
        n = malloc(sizeof *n);
        n->value = value;
        n->left = n->right = NULL;
    } else if (value < n->value)
        n->left = insert(n->left, value);
    else
        n->right = insert(n->right, value);
    return n;
}
static int sum(const struct node *n) {
    return n ? sum(n->left) + n->value + sum(n->right) : 0;
}
static void print(const struct node *n) {
    if (!n)
        return;
    print(n->left);
    printf("%d ", n->value);
    print(n->right);
}
static void destroy(struct node *n) {
    if (n) {
        destroy(n->left);
        destroy(n->right);
        free(n);
    }
}
int main(void) {
    struct node *root = NULL;
    for (int i = 0; i < 20; i++)
        root = insert(root, i * 7 % 20);
    print(root);
    printf("\n%d\n", sum(root));
    destroy(root);
    int *v = NULL, n = 0;
    for (int i = 0; i < 100; i++) {
        v = realloc(v, (n + 1) * sizeof *v);
        v[n++] = i * i;
    }
    v = realloc(v, 10 * sizeof *v);
    printf("%d %d\n", v[3], v[9]);
    free(v);
    free(NULL);
    char *zero = calloc(10, 3);
    int bits = 0;
    for (int i = 0; i < 30; i++)
        bits |= zero[i];
    printf("%d\n", bits);
    strcpy(zero, "reused");
    printf("%s\n", zero);
    free(zero);
    int **rows = malloc(3 * sizeof *rows);
    for (int i = 0; i < 3; i++) {
        rows[i] = malloc((i + 1) * sizeof **rows);
        for (int j = 0; j <= i; j++)
            rows[i][j] = i * 10 + j;
    }
    printf("%d\n", rows[0][0] + rows[1][1] + rows[2][2]);
    for (int i = 0; i < 3; i++)
        free(rows[i]);
    free(rows);
    long double *ld = malloc(sizeof *ld);
    *ld = 2.5L;
    printf("%.1Lf\n", *ld);
    free(ld);
    return 0;
}
