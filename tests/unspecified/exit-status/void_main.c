// C11 5.1.2.2.3p1: the return type of main is not int, so the status is not specified.
#include <stdio.h>
void main(void) { //~ exit-status
    puts("done");
}
