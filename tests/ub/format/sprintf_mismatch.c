// C11 7.21.6.6p2: sprintf follows the rules of fprintf.
#include <stdio.h>
int main(void) {
    char buffer[32];
    sprintf(buffer, "%lu", 1u); //~ format
    return 0;
}
