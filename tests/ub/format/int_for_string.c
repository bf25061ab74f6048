// C11 7.21.6.1p9: %s expects a pointer to characters.
#include <stdio.h>
int main(void) {
    printf("%s\n", 65); //~ format
    return 0;
}
