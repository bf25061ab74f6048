// C11 5.1.2.2.3: what main returns is the status; reaching its end returns 0.
// exit: 255
#include <stdio.h>
int main(void) {
    printf("status\n");
    return -1;
}
