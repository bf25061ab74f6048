// C11 5.1.2.2.3p1: main does not return int, but neither does it return: exit gives the status.
#include <stdio.h>
#include <stdlib.h>
// exit: 3
void main(void) {
    puts("done");
    exit(3);
}
