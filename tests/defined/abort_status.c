// C11 7.22.4.1: abort ends the program abnormally; what was printed and flushed is there.
// exit: abort
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    printf("out\n");
    fflush(stdout);
    abort();
}
