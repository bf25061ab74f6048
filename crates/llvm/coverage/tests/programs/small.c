/* A little of everything that an optimiser looks at. */
#include <stdio.h>

static int table[16];

static int sum(const int *from, int n) {
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i] * 3;
    return total;
}

int main(int argc, char **argv) {
    for (int i = 0; i < 16; i++)
        table[i] = i * argc;
    switch (argc) {
    case 1: puts("one"); break;
    case 2: puts(argv[1]); break;
    default: puts("many");
    }
    return sum(table, 16) & 1;
}
