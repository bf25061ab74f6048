// C11 7.22.4.4: exit ends the program from anywhere, with a status.
// exit: 7
#include <stdio.h>
#include <stdlib.h>
static void deep(int n) {
    if (n == 0)
        exit(263);
    deep(n - 1);
}
int main(void) {
    printf("before\n");
    deep(3);
    printf("after\n");
    return 1;
}
