// C11 7.21.6.1p9: %s expects a pointer to characters.
#include <stdio.h>
int main(void) {
    int x = 65;
    printf("%s\n", &x); //~ format
    return 0;
}
