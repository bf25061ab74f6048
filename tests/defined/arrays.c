// C11 6.5.2.1: arrays of several dimensions, pointers to rows, arrays in structs.
#include <stdio.h>
typedef int matrix[3][3];
static int cube[2][3][4];
static void multiply(matrix out, int a[3][3], int (*b)[3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            out[i][j] = 0;
            for (int k = 0; k < 3; k++)
                out[i][j] += a[i][k] * b[k][j];
        }
}
struct grid {
    char cell[2][3];
};
int main(void) {
    for (int i = 0; i < 24; i++)
        cube[i / 12][i / 4 % 3][i % 4] = i;
    printf("%d %d %d\n", cube[1][2][3], *cube[1][0], **cube[1]);
    printf("%d %d\n", (*(cube + 1))[1][2], *(*(*cube + 2) + 1));
    int(*plane)[3][4] = &cube[1];
    printf("%d %d\n", (*plane)[2][0], plane[-1][0][3]);
    int(*row)[4] = cube[0];
    row += 2;
    printf("%d %zu %zu\n", (*row)[3], sizeof *row, sizeof cube / sizeof **cube);
    matrix a = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, b = {{0, 1}, {1}, {0, 0, 1}}, c;
    multiply(c, a, b);
    for (int i = 0; i < 9; i++)
        printf("%d ", c[i / 3][i % 3]);
    printf("\n");
    struct grid g = {{"ab", "cd"}}, h;
    g.cell[1][2] = 'e';
    h = g;
    printf("%s %c %d\n", h.cell[0], h.cell[1][2], h.cell[0][2]);
    int *pointers[3] = {&a[0][0], a[1], &a[2][1]};
    printf("%d %d\n", *pointers[1], pointers[2][-1]);
    int **pp = pointers;
    printf("%d\n", *pp[2] + **(pp + 1));
    const char *names[][2] = {{"a", "b"}, {"c", "d"}};
    printf("%s\n", names[1][0]);
    int x[1] = {5};
    printf("%d %d\n", 0 [x], *x);
    int(*whole)[3] = &(int[3]){1, 2, 3};
    printf("%d %d\n", (*whole)[2], (int)(sizeof *whole));
    return 0;
}
